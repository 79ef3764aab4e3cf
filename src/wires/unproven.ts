import type { Architecture } from '../programs/program.ts'
import { TranscriptError } from '../reading/input/combined.ts'
import { type Entry, messageOf } from '../reading/input/entries.ts'
import type { SourceIssue } from '../reading/source.ts'
import { allFormats } from './all.ts'
import { isForeign } from './detect.ts'

/** The wire of an input without a proof, and the number of its lines. */
export interface UnprovenFormat {
  readonly architecture: Architecture
  readonly issue: SourceIssue
}

/**
 * Returns the one wire that all entries fit, if no line proves a program. Undefined if none fits. Throws a
 * `TranscriptError` if several wires fit: the caller has to name one.
 */
export function unprovenFormat(entries: Iterable<Entry>): UnprovenFormat | undefined {
  let fitting = allFormats().filter(({ fits }) => fits !== undefined)
  let count = 0
  let hasConversation = false
  for (const entry of entries) {
    if (fitting.length === 0) return undefined
    const message = messageOf(entry)
    if (message === undefined || isForeign(message)) return undefined
    count += 1
    const fits = fitting.map((format) => ({ format, fit: format.fits?.(message) }))
    fitting = fits.flatMap(({ format, fit }) => (fit ? [format] : []))
    hasConversation ||= fits.some(({ fit }) => fit === 'conversation')
  }
  const [only, ...others] = fitting
  if (!only || !hasConversation) return undefined
  if (others.length > 0) throw severalFit(fitting.map(({ name }) => name))
  return { architecture: only.name, issue: { code: 'unproven-format', count } }
}

function severalFit(names: readonly Architecture[]): TranscriptError {
  return new TranscriptError(
    'not-a-transcript',
    `not a transcript of one program: its lines fit ${names.join(' and ')}. Name the format (--format ${names[0]})`,
  )
}
