// Things that the theme leaves out, for people who use a keyboard or a screen reader.
document$.subscribe(() => {
  let number = 0;
  for (const nav of document.querySelectorAll("nav.md-code__nav")) nav.setAttribute("aria-label", `Code block ${++number}`);
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap, .drawn")) wide.tabIndex = 0; // scrolls by arrow keys
  for (const corner of document.querySelectorAll(".md-typeset th:empty")) corner.replaceWith(document.createElement("td"));
});
