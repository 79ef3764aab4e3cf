import type { Source } from '../../src/entries/source-kit.ts'
import { type CheckedSource, checkSource } from '../../src/entries/testing.ts'
import { depth } from '../depth.ts'

/** A long recording is checked at its beginning: each message is checked against the whole state so far. */
const BEGINNING = depth({ few: 8, all: 64 })

/** Checks the laws of a source over a recording, at some places. */
export function checkRecording(source: Source, messages: readonly unknown[]): CheckedSource {
  return checkSource(source, messages.slice(0, BEGINNING), {
    samples: depth({ few: 1, all: 2 }),
  })
}
