/** The tables of texts that all clients share, whatever the Unicode version of the machine they run on. The twin of
 * untold/plan/schema/text/tables.py, which says what they mean. Numbers are written in base 36. */
export const ASSIGNED = "0 oo 2 6 4 7 1 1 1 k 1 b1 1 12 2 7 1 13 1 2 2 3 1 1j 8 r 5 5 b t 1 6o 1 1o 2 2t e 1n 5 1a 2 f 1 s 2 1 1 b 1h l 1 8 m 4w 1 8 2 2 2 m 1 7 1 1 " +
    "3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 o 3 3 1 6 4 2 2 m 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2 3 3 1 7 4 1 1 7 g b 3 1 9 1 3 1 m 1 7 1 2 1 5 2 a 1 3 1 3 2 1 " +
    "f 4 2 c 7 7 1 3 1 8 2 2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 8 2 4 2 1 5 2 i a 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 4 2 1 6 1 e l 5 4 1 8 " +
    "1 3 1 n 1 g 3 8 1 3 1 4 7 2 1 3 5 4 2 a 8 c 1 8 1 3 1 n 1 a 1 5 2 9 1 3 1 4 7 2 7 1 1 4 2 a 1 2 d 4 1 8 1 3 1 1f 1 3 1 6 4 g 2 q 2 2 1 i 3 o " +
    "1 9 1 1 2 7 3 1 4 6 1 1 1 8 6 a 2 3 c 1m 4 t 11 2 1 1 2 2 1 1 2 1 6 4 1 7 1 3 1 1 1 1 2 2 1 d 1 3 2 5 1 1 1 6 2 a 2 4 w 20 1 10 4 13 1 10 1 " +
    "f 1 d 11 5i 1 1 5 1 2 ah 1 4 2 7 1 1 1 4 2 15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 1v 2 w 3 q 6 2e 2 6 2 il 3 2h 7 d 1 7 b n 9 k c d 1 3 1 " +
    "2 c 2m 2 a 6 a 6 f 1 a 6 2g 8 17 5 1y a v 1 c 4 c 4 1 3 16 2 5 b 18 4 q 6 b 3 1q 2 1t 1 t 2 b 6 a 6 e 2 f 1t 24 4 19 3 38 8 1o 3 f 3 1o 1j 8 " +
    "8 16 6 6y 1 7v 2 6 2 12 2 6 2 8 1 1 1 1 1 1 1 v 2 1h 1 f 1 e 2 6 1 j 2 3 1 9 1 2t 1 c 2 r 1 d 3 w g x f 3w 4 if p b l 1ec 2 w 2 y 3 c 1 9 p " +
    "4 g 1b 1 1b 1 44 5 19 1 1 5 1 2 1k 7 2 e o 9 7 1 7 1 7 1 7 1 7 1 7 1 7 1 7 1 2y 1i q 1 2h c 5y q c 4 1s 1 2e 2 2v 5 16 2 2m 1 17 5 10 c 1b 1 " +
    "67 1 59y a g8b l wd 3 1j 9 9o k 54 8 4v 1 8 1r 1h 4 a 6 1k 8 1y 8 c 6 u 2 2c b u 3 26 1 b 4 x 1 1j 9 e 2 a 2 2v o s a 6 2 6 2 6 9 7 1 7 1 1i " +
    "a 3i 2 a 6 8mc c n 4 1d 6is a6 2 2y 12 7 c 5 5 q 1 5 1 1 1 2 1 2 1 3g h a5 g 1s 2 1i 14 e 2 q 6 1f 1 j 1 4 4 5 1 3r 2 1 1 5a 3 6 2 6 2 6 2 3 " +
    "3 7 1 7 a 5 2 c 1 q 1 j 1 2 1 f 2 e y 3f 5 3 4 19 3 2g 1 c 4 1 1b 1a 3m t 3 1d f s 4 10 9 u 5 17 5 u 1 11 4 e 16 4e 2 a 6 10 4 10 4 14 8 1g " +
    "b 1 40 8n 9 m a 8 48 6 2 1 1 18 1 2 3 1 2 n 1 20 8 9 1c j 1 2 5 x 3 r 5 1 1s 1k 4 k 2 1e 1 2 5 8 1 3 1 r 4 3 4 9 8 9 7 1s w 13 4 c 9 1i 3 t " +
    "2 r 5 q 7 4 c 7 28 21 1j 1f d 1f 7 6 9s v ap 26 4 u f 1v e p 7 a 6 1h 1 e c 13 9 26 2 g 1 k b i 1 18 1t 7 1 1 1 4 1 f 1 b 6 1n 5 a 6 4 1 8 2 " +
    "2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 2 1 6 1 5 7 2 7 3 5 3v 2i 1 1 1 1 y 20 8 a 4m 1i 2 12 y 1x b a 6 d j 1k 8 a 1i q 3 f 4 g 9s 2b c 1 74 20 8 1g " +
    "2 n 1 5 t 1l 7b 9 1 19 1 e a t 3 w 2 m 1 e 21 7 1 2 1 18 3 1 1 2 1 9 8 a iu pm 2u 33 1 5 b 5g 24c tr 34h g7 6nt ft 7 v 1 a 4 2 2o u 2 6 a 1y " +
    "a a 1 7 1 l 5 j og 1x b 1b g h 1s 2 u 4q5 j kz 7bh 7z 29 b0 1s4 2z 5 d 3 9 7 a 2 8 3to 6u a 13 2 5c n 1y 56 2f 9 i 3y 2d 1 1z 1 2 2 1 2 2 2 " +
    "4 1 c 1 1 1 7 1 1t 1 4 2 8 1 7 1 s 1 4 1 5 1 1 3 7 1 9g 2 84 2 ji f 5 1 f 11s 7 1 h 2 7 1 2 1 5 1jp 5h 2 g 15 23 5 a 4 2 ww 4 1 r 1 2 1 1 2 " +
    "1 1 a 1 4 1 1 1 1 6 1 4 1 1 1 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 a 1 h 5 3 1 5 1 h 1g 2 7i 18 4 2s c f 2 f 1 " +
    "f 1 11 a d 3 v 1 1o 4 1p 1l t d 18 4 9 7 2 e 6 4a r9 b d 3 9 7 38 c 2d 17 c 4 1k 8 a 6 14 8 u 2a c 4 1b 1 d 3 s k o 14 1 f n 17d wyf 15 379 " +
    "b 66 2 4g2 e 5rl 2e7 f2 fher 1 u 2o 3k 6o";
export const FOLD = "1t,q,1,w 38,1,1,lj b,n,1,w o,7,1,w 14,o,2,1 1e,3,2,1 7,8,2,1 h,n,2,1 1a,1,1,-3d 1,3,2,1 6,1,1,-7g 2,1,1,5u 1,2,2,1 4,1,1,5q 1,1,1,1 2,2,1,5p " +
    "2,1,1,1 3,1,1,27 1,1,1,5m 1,1,1,5n 1,1,1,1 2,1,1,5p 1,1,1,5r 2,1,1,5v 1,1,1,5t 1,1,1,1 4,1,1,5v 1,1,1,5x 2,1,1,5y 1,3,2,1 6,1,1,62 1,1,1,1 " +
    "2,1,1,62 3,1,1,1 2,1,1,62 1,1,1,1 2,2,1,61 2,2,2,1 4,1,1,63 1,1,1,1 4,1,1,1 8,1,1,2 1,1,1,1 2,1,1,2 1,1,1,1 2,1,1,2 1,9,2,1 j,9,2,1 j,1,1,2 " +
    "1,2,2,1 4,1,1,-2p 1,1,1,-1k 1,k,2,1 14,1,1,-3m 2,9,2,1 o,1,1,8bv 1,1,1,1 2,1,1,-4j 1,1,1,8bs 3,1,1,1 2,1,1,-5f 1,1,1,1x 1,1,1,1z 1,5,2,1 " +
    "73,1,1,38 17,2,2,1 6,1,1,1 9,1,1,38 7,1,1,12 2,3,1,11 4,1,1,1s 2,2,1,1r 3,h,1,w i,9,1,w v,1,1,1 d,1,1,8 1,1,1,-u 1,1,1,-p 4,1,1,-f 1,1,1,-m " +
    "2,c,2,1 o,1,1,-1i 1,1,1,-1c 3,1,1,-1o 1,1,1,-1s 2,1,1,1 2,1,1,-7 1,1,1,1 3,3,1,-3m 3,g,1,28 g,w,1,w 28,h,2,1 16,r,2,1 1i,1,1,f 1,7,2,1 " +
    "f,1c,2,1 2p,12,1,1c 29b,12,1,5ls 13,1,1,5ls 6,1,1,5ls mj,6,1,-8 1oo,1,1,-4su 1,1,1,-4st 1,1,1,-4sk 1,2,1,-4si 2,1,1,-4sj 1,1,1,-4sc " +
    "1,1,1,-4ro 1,1,1,r7n ag,23,2,1 4b,1,1,-1m 5,1c,2,1 2w,8,1,-8 g,6,1,-8 g,8,1,-8 g,8,1,-8 g,6,1,-8 h,4,2,-8 f,8,1,-8 28,2,1,-8 2,2,1,-22 " +
    "4,1,1,-5j9 a,4,1,-2e g,2,1,-8 2,2,1,-2s e,2,1,-8 2,2,1,-34 2,1,1,-7 c,2,1,-3k 2,2,1,-3i 8c,1,1,-5st 4,1,1,-6gv 1,1,1,-6di 7,1,1,s 1a,g,1,g " +
    "z,1,1,1 mr,q,1,q 1fu,1b,1,1c 2o,1,1,1 2,1,1,-8af 1,1,1,-2xy 1,1,1,-89z 3,3,2,1 6,1,1,-8bg 1,1,1,-8al 1,1,1,-8bj 1,1,1,-8bi 2,1,1,1 3,1,1,1 " +
    "9,2,1,-8cf 2,1e,2,1 2z,2,2,1 7,1,1,1 nym,n,2,1 1s,e,2,1 4i,7,2,1 g,v,2,1 1z,2,2,1 4,1,1,-r9g 1,5,2,1 d,1,1,1 2,1,1,-wmg 3,2,2,1 6,a,2,1 " +
    "k,1,1,-wn8 1,1,1,-wnj 1,1,1,-wnf 1,1,1,-wn5 1,1,1,-wn8 2,1,1,-wlu 1,1,1,-wmi 1,1,1,-wlx 1,1,1,ps 1,2,2,1 qk,28,1,-tzk gj5,q,1,w yn,14,1,14 " +
    "4w,10,1,14 1jk,1f,1,1s 2e8,w,1,w 155s,y,1,y";
export const FOLD_MANY = "67.37.37 8g.2x.lj 95.jg.32 ds.2y.lo pc.qh.lk.ld q8.qt.lk.ld 13b.12d.136 61i.2w.mp 61j.38.lk 61k.3b.lm 61l.3d.lm 61m.2p.ji 61q.37.37 " +
    "66o.qt.lv 66q.qt.lv.lc 66s.qt.lv.ld 66u.qt.lv.n6 680.64g.qh 681.64h.qh 682.64i.qh 683.64j.qh 684.64k.qh 685.64l.qh 686.64m.qh 687.64n.qh " +
    "688.64g.qh 689.64h.qh 68a.64i.qh 68b.64j.qh 68c.64k.qh 68d.64l.qh 68e.64m.qh 68f.64n.qh 68g.65c.qh 68h.65d.qh 68i.65e.qh 68j.65f.qh " +
    "68k.65g.qh 68l.65h.qh 68m.65i.qh 68n.65j.qh 68o.65c.qh 68p.65d.qh 68q.65e.qh 68r.65f.qh 68s.65g.qh 68t.65h.qh 68u.65i.qh 68v.65j.qh " +
    "68w.674.qh 68x.675.qh 68y.676.qh 68z.677.qh 690.678.qh 691.679.qh 692.67a.qh 693.67b.qh 694.674.qh 695.675.qh 696.676.qh 697.677.qh " +
    "698.678.qh 699.679.qh 69a.67a.qh 69b.67b.qh 69e.67k.qh 69f.q9.qh 69g.q4.qh 69i.q9.n6 69j.q9.n6.qh 69o.q9.qh 69u.67o.qh 69v.qf.qh 69w.q6.qh " +
    "69y.qf.n6 69z.qf.n6.qh 6a4.qf.qh 6aa.qh.lk.lc 6ab.qh.lk.ld 6ae.qh.n6 6af.qh.lk.n6 6aq.qt.lk.lc 6ar.qt.lk.ld 6as.qp.lv 6au.qt.n6 6av.qt.lk.n6 " +
    "6b6.67w.qh 6b7.qx.qh 6b8.r2.qh 6ba.qx.n6 6bb.qx.n6.qh 6bg.qx.qh 1dkw.2u.2u 1dkx.2u.2x 1dky.2u.30 1dkz.2u.2u.2x 1dl0.2u.2u.30 1dl1.37.38 " +
    "1dl2.37.38 1dlf.12s.12u 1dlg.12s.12d 1dlh.12s.12j 1dli.132.12u 1dlj.12s.12l";
export const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 .-_/:'&,()+@";
export const LENGTHS = [
    "35455476498555459543565a7aa9aaaabbbb8b9a98abb8bbb75",
    "9545985a5a6353a5b343668969cbbccccccc5abbbbbcbcbcc48",
    "4a882aaa54a39848b4683abb3abbbbbbbbbc78aa9abcabbbb67",
    "3a693aa34a455937b57359aa7bbbabbbbbbb7aa99abbaaa9b56",
    "599529984a969849b75959ab8bb98bbbbbbb368797ab799bb27",
    "5844667879a65496733596758bbbbbbbbbbb3687a79b89abb37",
    "4b9945ba3bb6a92ac4764bab6ccbbcccccac398ab8bcaa8cc38",
    "6a8929754bb68569b5664a9b99bbbbbbbbbb378999bb89abb26",
    "3aaa1aba3bb9894ab6857bab9bcbbccccccb59aabbbcabbcc48",
    "5645556a9b845246a533a6b7b7bbbbccccbc8aa8bbbcbbbcc68",
    "4a7a1aaa7b87985899284aaaabbaba9bbbbb8aaaaabbbbbbb68",
    "4998198a4bb8a678b9488a8b9bcbbccccccc4786aabc889cb36",
    "4795289a3ba3a948b855589b4bcbbcbbcccc4899b9acaaabc47",
    "25982aaa4aa75943b9696aba8bbbbbbbbbbb57999aab99abb48",
    "5a43463959778748b94367ab7bbbbbcbbbbc4789a98c9aacb37",
    "7654747977754364b354465a9abbbbbbbbbb4999baabababb47",
    "3a882a974ba48935c36459bb8cbb9bbcbccc699799bcbbabc58",
    "786868887886867875631568899989999998668888897889956",
    "496627694b766638b554679b6bcbbcccccbc4899b9ac9aabb37",
    "6a6938a64b878855b943599a6bbbbbbbbbbb3699979b7a8bb27",
    "4a8938823bb7a947b5566b8a6bcbbbbcbcbc4798a89b99bcc37",
    "5556466a5ba35385b333a9b9bbbbbbbbbbbb6bbbbb8bbbbbb58",
    "2b8a1aaa3bba7958ba798abbbca9aa9a9b7b8a99bbacaabcc68",
    "3aaa4b922cb9b54ac459bb9bbccccbcccccc599bcbbcaabcc48",
    "394938b94bb86992b973aaa78baaaaba9bab477798bb8a8bb46",
    "778969996ba76534b8459a7a9abbbbabbbbb2677989b688bb26",
    "3a9919a83ba5993ab9799a8a87bbbbbbbbbb89aabaabab9ab67",
    "7889899a9b999889b959aaa7aa45565556663358967b6a6ab25",
    "56566666569666659645767899888aaaaa9a2678668a7869a43",
];
