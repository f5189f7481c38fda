"""Reports between their arrival and a segment, whichever storage keeps them: which are new, how they are laid out."""
