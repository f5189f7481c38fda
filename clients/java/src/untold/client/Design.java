package untold.client;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** How the reports of one service are made: trees, views, weights and oracles as they were frozen. */
final class Design {
    private static final int MOST_VIEWS = 1 << 16;
    private static final int MOST_LEVELS = 1 << 24; // of all views, one for each tree
    private static final double MOST_LEAVES = 4294967296.0;
    private static final List<String> KINDS = List.of("round", "mirror", "weighted-round", "text");

    /** An interval tree over coded values: level 0 is the whole domain. */
    static final class Tree {
        final long size;
        final double[] blocks; // at each level

        Tree(Fields frozen) {
            size = frozen.whole("size", 1, MOST_LEAVES);
            long[] fanOuts = frozen.wholes("fan_outs", 1, MOST_LEAVES);
            blocks = new double[fanOuts.length + 1];
            blocks[0] = 1;
            for (int i = 0; i < fanOuts.length; i++) blocks[i + 1] = blocks[i] * fanOuts[i];
            if (size > padded() || padded() > MOST_LEAVES) throw frozen.fail("a tree cannot hold " + size + " values");
        }

        double padded() {
            return blocks[blocks.length - 1];
        }
    }

    /** One level per column, the oracle that reports a cell of it, and where its messages begin among all of the design. */
    static final class View {
        final int[] levels;
        final Oracle oracle;
        final long offset;

        View(int[] levels, Oracle oracle, long offset) {
            this.levels = levels;
            this.oracle = oracle;
            this.offset = offset;
        }
    }

    /** A column that a device computes from an attribute before anything is perturbed: a stochastic rounding. */
    static final class Derived {
        final String kind;
        final int attribute;
        final long size;
        final TextCells text; // how a view sees a text; null of roundings

        Derived(Fields frozen) {
            kind = frozen.choice("kind", KINDS);
            attribute = (int) frozen.whole("attribute", 0, MOST_VIEWS);
            size = frozen.whole("size", 1, MOST_LEAVES);
            text = kind.equals("text") ? new TextCells(frozen) : null;
        }

        /** Whether every coded value has a leaf of its own. */
        boolean fits(Tree tree) {
            if (text != null) return tree.blocks.length == 2 && tree.padded() == text.cells && tree.size == text.cells;
            if (kind.equals("mirror")) return size <= Math.floor(tree.padded() / 2);
            return tree.padded() >= (kind.equals("round") ? 2 : 4);
        }

        int code(Tree tree, int value, int up, int weight) {
            if (kind.equals("round")) return up;
            if (kind.equals("weighted-round")) return 2 * weight + up;
            return (int) Math.floor(tree.padded() / 2) - 1 - value + up * (2 * value + 1);
        }
    }

    final List<Tree> trees = new ArrayList<>(); // attributes, then derived columns, then the hidden weight
    final List<View> views = new ArrayList<>();
    final List<Derived> derived = new ArrayList<>();
    final long[] cumulative; // running sums of the weights below 2^64; null: a report speaks of every view
    final boolean hidden; // whether the last tree is that of the hidden weight
    final int attributes; // how many trees are those of the service's own attributes
    final BigInteger nano; // what one report costs: its dearest view, or all views together
    final int seedBits; // of the public salt in every message: 0, 32 or 64

    Design(Fields frozen) {
        for (Fields each : frozen.objects("trees")) trees.add(new Tree(each));
        if (frozen.has("derived")) for (Fields each : frozen.objects("derived")) derived.add(new Derived(each));
        hidden = frozen.flag("hidden");
        frozen.text("name");
        List<Fields> named = frozen.objects("oracles");
        List<Fields> listed = frozen.objects("views");
        int most = Math.min(MOST_VIEWS, MOST_LEVELS / Math.max(trees.size(), 1));
        if (listed.isEmpty() || Math.max(listed.size(), named.size()) > most) throw frozen.fail("1.." + most + " views and oracles are needed");
        List<Oracle> oracles = new ArrayList<>();
        for (Fields each : named) oracles.add(Oracle.read(each));
        long offset = 0;
        for (Fields each : listed) {
            View view = view(each, oracles, offset);
            views.add(view);
            offset += view.oracle.indexes;
        }
        if (offset > MOST_LEAVES) throw frozen.fail("it has more than 2^32 messages");
        attributes = trees.size() - derived.size() - (hidden ? 1 : 0);
        cumulative = weights(listed, frozen);
        long texts = derived.stream().filter(each -> each.text != null).count();
        if (texts > 0 && (texts < derived.size() || hidden || cumulative == null)) {
            throw frozen.fail("texts are looked for in a sampled design, of one row for each person and without roundings");
        }
        BigInteger spent = BigInteger.ZERO;
        int bits = 0;
        for (View view : views) {
            bits = Math.max(bits, view.oracle.width);
            // the one message about a single cell tells nothing
            if (view.oracle.cells == 1 && view.oracle.name.equals("grr")) continue;
            spent = cumulative == null ? spent.add(view.oracle.nano) : spent.max(view.oracle.nano);
        }
        nano = spent;
        seedBits = bits;
    }

    private View view(Fields frozen, List<Oracle> oracles, long offset) {
        long[] active = frozen.wholes("active", 0, MOST_VIEWS);
        int[] levels = new int[trees.size()];
        long last = -1;
        for (int i = 0; i < active.length; i += 2) {
            long level = i + 1 < active.length ? active[i + 1] : 0;
            if (active[i] >= trees.size() || active[i] <= last || level < 1 || level >= trees.get((int) active[i]).blocks.length) {
                throw frozen.fail("pairs of a column and a level of its tree are needed, in order");
            }
            levels[(int) active[i]] = (int) level;
            last = active[i];
        }
        long number = frozen.whole("oracle", 0, MOST_VIEWS);
        if (number >= oracles.size()) throw frozen.fail("its oracle is not listed");
        double cells = 1;
        for (int i = 0; i < levels.length; i++) cells *= trees.get(i).blocks[levels[i]];
        Oracle oracle = oracles.get((int) number);
        if (oracle.cells != cells) throw frozen.fail("its oracle does not fit its cells");
        return new View(levels, oracle, offset);
    }

    private static long[] weights(List<Fields> views, Fields frozen) {
        long split = views.stream().filter(each -> each.value("weight") == null).count();
        if (split == views.size()) return null;
        if (split > 0) throw frozen.fail("either all views have a weight or none");
        BigInteger sum = BigInteger.ZERO;
        List<Long> sums = new ArrayList<>();
        for (Fields each : views) {
            sum = sum.add(each.big("weight"));
            if (sum.compareTo(Exact.WORD) < 0) sums.add(sum.longValue());
        }
        if (!sum.equals(Exact.WORD)) throw frozen.fail("the weights of a sampled design must sum to 2^64");
        return sums.stream().mapToLong(Long::longValue).toArray();
    }

    /** The cell of a view that holds a coded record; the last column runs fastest. */
    long cell(View view, int[] codes) {
        long cell = 0;
        for (int i = 0; i < codes.length; i++) {
            Tree tree = trees.get(i);
            long blocks = (long) tree.blocks[view.levels[i]];
            cell = cell * blocks + codes[i] / ((long) tree.padded() / blocks);
        }
        return cell;
    }
}
