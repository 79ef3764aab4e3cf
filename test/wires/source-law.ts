import type { Source } from '../../src/entries/index.ts'
import { type CheckedSource, checkSource } from '../../src/entries/testing.ts'
import { depth, isThorough } from '../depth.ts'

/** `npm test` checks the beginning of a long recording: each message is checked against the whole state so far. */
const BEGINNING = 24

/** Checks the laws of a source over a recording, at some places. */
export function checkRecording(source: Source, messages: readonly unknown[]): CheckedSource {
  return checkSource(source, isThorough ? messages : messages.slice(0, BEGINNING), {
    samples: depth({ few: 2, all: 8 }),
  })
}
