/** Interval trees over coded values, and the cells of a view. The twins of untold/plan/hierarchy/{tree,space}.py. */
/** Level 0 is the whole domain; `fanOuts[j]` children hang below each block of level j. */
export class Tree {
    size;
    fanOuts;
    blocks; // blocks at each level
    padded; // leaves
    constructor(size, // values that occur
    fanOuts) {
        this.size = size;
        this.fanOuts = fanOuts;
        const blocks = [1];
        for (const each of fanOuts)
            blocks.push(blocks.at(-1) * each);
        this.blocks = blocks;
        this.padded = blocks.at(-1);
    }
    get height() {
        return this.fanOuts.length;
    }
}
/** How many cells a view has. */
export function cellsOf(trees, levels) {
    return trees.reduce((cells, tree, i) => cells * tree.blocks[levels[i]], 1);
}
/** The cell of a view that holds a coded record; the last column runs fastest. */
export function cellOf(trees, levels, codes) {
    return trees.reduce((cell, tree, i) => {
        const blocks = tree.blocks[levels[i]];
        return cell * blocks + Math.floor(codes[i] / (tree.padded / blocks));
    }, 0);
}
