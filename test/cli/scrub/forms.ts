import { join } from 'node:path'
import type { SessionConversationState } from '../../../src/core/state/session.ts'
import { parseTranscript, textOf } from '../../../src/entries/index.ts'
import { PHRASE } from '../../../src/programs/phrases.ts'
import type { CombinedTranscript } from '../../../src/reading/input/combined.ts'
import { type RecordedForm, recordedForms } from '../../laws/recordings.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')

/** Returns the recorded forms of sessions in a folder of the fixtures. */
export function formsIn(folder: string): readonly RecordedForm[] {
  return [...recordedForms(join(FIXTURES, folder))]
}

export function combinedOf({ raw }: RecordedForm): CombinedTranscript {
  return typeof raw === 'string' ? { main: raw, subagents: [] } : raw
}

export function stateOf(
  { architecture }: RecordedForm,
  transcript: CombinedTranscript,
): SessionConversationState {
  return parseTranscript(architecture, transcript.subagents.length === 0 ? transcript.main : transcript)
}

/** Returns the words of at least five letters that the person and the model have written. */
export function wordsOf(state: SessionConversationState): ReadonlySet<string> {
  const texts = [state, ...state.subagents].flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.type === 'assistant_text' || block.type === 'thinking') return [block.content]
      return block.type === 'user_message' && block.origin === undefined ? [textOf(block)] : []
    }),
  )
  return new Set(texts.flatMap((text) => text.match(WORD) ?? []))
}

const WORD = /\p{L}{5,}/gu

/** Returns the words in the texts of a scrubbed session: those of values that are more than one word. */
export function wordsIn(transcript: CombinedTranscript): ReadonlySet<string> {
  const values = textsOf(transcript).flatMap((text) => [...text.matchAll(/"((?:[^"\\]|\\.)*)"(?!\s*:)/g)])
  const texts = values.flatMap(([, value = '']) => (value.includes(' ') ? [value] : []))
  return new Set(texts.flatMap((value) => value.match(WORD) ?? []))
}

/** Returns the words that may stay: those of programs, and the names of fields. */
export function keptWords(transcript: CombinedTranscript): ReadonlySet<string> {
  const names = textsOf(transcript).flatMap((text) => text.match(/(?<=")\w+(?=\\*"\s*:)/g) ?? [])
  return new Set([...names, PHRASE].flatMap((text) => text.match(WORD) ?? []))
}

function textsOf({ main, subagents }: CombinedTranscript): readonly string[] {
  return [main, ...subagents.map(({ transcript }) => transcript)]
}
