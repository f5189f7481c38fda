/**
 * Which cells a message speaks for: the other half of an oracle, which devices do not need but people may want to see.
 *
 * grr: the cell that it names. agr: the cells with <a, cell> = y over F_g, where the message is a g + y and a cell has the digits of its place in
 * the public order of cells. olh: the cells that the seeds hash to it.
 */

import { placeOfCell } from "../client/oracles/cell_order.js";

/** A predicate over cells, for the oracle of a frozen view and a message counted within it. */
export function supports(oracle, index, extra) {
  return { grr: () => (cell) => cell === index, agr: () => linear(oracle, index), olh: () => hashed(oracle, index, extra) }[oracle.name]?.();
}

function linear({ sides, digits, scrambled }, index) {
  const g = Number(sides), t = Number(digits), value = index % g, vector = directionOf(Math.floor(index / g), g, t);
  return (cell) => {
    let total = 0, place = scrambled ? placeOfCell(cell, g, t) : cell;
    for (const digit of vector) {
      total += digit * (place % g);
      place = Math.floor(place / g);
    }
    return total % g === value;
  };
}

/** Direction i is the number g^m + (i - (g^m - 1)/(g - 1)) in base g, for the largest m that fits; the lowest digit first. */
function directionOf(i, g, digits) {
  let power = 1, first = 0;
  while (first + power <= i) [first, power] = [first + power, power * g];
  let number = power + i - first;
  return Array.from({ length: digits }, () => {
    const digit = number % g;
    number = Math.floor(number / g);
    return digit;
  });
}

function hashed({ sides, width }, index, [a, b]) {
  const bits = BigInt(width), mask = (1n << bits) - 1n;
  return (cell) => {
    const word = (a * BigInt(cell) + b) & mask;
    return Number(((word >> (bits - 32n)) * BigInt(sides)) >> 32n) === index;
  };
}
