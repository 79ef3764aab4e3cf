import { parseJson } from '../../core/json/values.ts'
import type { CombinedTranscript } from '../../reading/input/combined.ts'
import { scrubValue } from './scrub-value.ts'
import { type Scrubber, scrubberOf } from './scrub-words.ts'

/** Replaces the words, ids and paths of a session. The names of fields, types, states and tools stay, because they show its structure. */
export function scrubTranscript({ main, subagents }: CombinedTranscript): CombinedTranscript {
  const texts = [main, ...subagents.flatMap(({ transcript, meta = '' }) => [transcript, meta])]
  const ids = subagents.map(({ id }) => ({ id }))
  const scrubber = scrubberOf([...ids, ...texts.flatMap(valuesOf)])
  return {
    main: scrubText(main, scrubber),
    subagents: subagents.map(({ id, transcript, meta }) => ({
      id: scrubber.words(id, 'id'),
      transcript: scrubText(transcript, scrubber),
      ...(meta !== undefined && { meta: scrubText(meta, scrubber) }),
    })),
  }
}

function valuesOf(text: string): readonly unknown[] {
  const document = parseJson(text)
  return document === undefined ? text.split('\n').map((line) => parseJson(line) ?? line) : [document]
}

/** A text is a JSON document, or has one value on each line. */
function scrubText(text: string, scrubber: Scrubber): string {
  return (
    scrubDocument(text, scrubber) ??
    text
      .split('\n')
      .map((line) => scrubLine(line, scrubber))
      .join('\n')
  )
}

function scrubLine(line: string, scrubber: Scrubber): string {
  return scrubDocument(line, scrubber) ?? scrubber.words(line)
}

function scrubDocument(text: string, scrubber: Scrubber): string | undefined {
  const value = parseJson(text)
  return value === undefined ? undefined : JSON.stringify(scrubValue(value, scrubber))
}
