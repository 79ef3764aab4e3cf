import process from 'node:process'
import { expect } from 'vitest'

/** Prints the figures of a test. */
export function report(figures: Readonly<Record<string, number>>): void {
  process.stdout.write(`${expect.getState().currentTestName}: ${JSON.stringify(figures)}\n`)
}
