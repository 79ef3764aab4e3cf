import process from 'node:process'
import { it, type TestAPI } from 'vitest'

/**
 * Whether this is `npm run test:all`: it has the long tests (`*.slow.test.ts`), and more places of the laws. `npm test` has the
 * other tests, and a few places of the laws.
 */
export const isThorough: boolean = process.env.DEPTH === 'all'

/** Returns a number of places or of runs for the command that runs. */
export function depth({ few, all }: { readonly few: number; readonly all: number }): number {
  return isThorough ? all : few
}

/** The most random inputs of a property in `npm test`. */
const MOST_RUNS = 40

/** Returns the number of random inputs of a property: `npm test` tries a part of them. */
export function runs(all: number): number {
  return depth({ few: Math.min(MOST_RUNS, Math.ceil(all / 8)), all })
}

/** Returns items spread evenly over a list, with the first and the last one. */
export function sampleOf<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items
  const step = (items.length - 1) / Math.max(1, count - 1)
  return count === 1
    ? items.slice(items.length >> 1, (items.length >> 1) + 1)
    : items.filter((_, at) => Math.round(Math.round(at / step) * step) === at)
}

type Define = Pick<TestAPI, 'each'> & ((name: string, run: () => unknown) => void)

/** Defines no test. The other command has it, so a test that is skipped would only be noise. */
const none: Define = Object.assign(() => {}, { each: () => () => {} })

/** A test that `npm test` has, and `npm run test:all` does not repeat. */
export const basic: Define = isThorough ? none : it

/** A test that only `npm run test:all` has. */
export const further: Define = isThorough ? it : none

/** Returns the first case in `npm test`, and the others in `npm run test:all`. */
export function casesOf<Case>(cases: readonly Case[]): readonly Case[] {
  return isThorough ? cases.slice(1) : cases.slice(0, 1)
}
