/** Interval trees over coded values, and the cells of a view. The twins of untold/plan/hierarchy/{tree,space}.py. */

/** Level 0 is the whole domain; `fanOuts[j]` children hang below each block of level j. */
export class Tree {
  readonly blocks: readonly number[]; // blocks at each level
  readonly padded: number; // leaves

  constructor(
    readonly size: number, // values that occur
    readonly fanOuts: readonly number[],
  ) {
    const blocks = [1];
    for (const each of fanOuts) blocks.push(blocks.at(-1)! * each);
    this.blocks = blocks;
    this.padded = blocks.at(-1)!;
  }

  get height(): number {
    return this.fanOuts.length;
  }
}

/** How many cells a view has. */
export function cellsOf(trees: readonly Tree[], levels: readonly number[]): number {
  return trees.reduce((cells, tree, i) => cells * tree.blocks[levels[i]!]!, 1);
}

/** The cell of a view that holds a coded record; the last column runs fastest. */
export function cellOf(trees: readonly Tree[], levels: readonly number[], codes: readonly number[]): number {
  return trees.reduce((cell, tree, i) => {
    const blocks = tree.blocks[levels[i]!]!;
    return cell * blocks + Math.floor(codes[i]! / (tree.padded / blocks));
  }, 0);
}
