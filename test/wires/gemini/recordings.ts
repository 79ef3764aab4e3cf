import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { geminiSource, geminiTranscript } from '../../../src/entries/gemini.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { messagesOf } from '../messages-in.ts'

const FOLDER = join(import.meta.dirname, '../../../fixtures/gemini')

/** A form of a recording with its messages. */
export interface Form {
  readonly name: string
  readonly form: string
  readonly messages: readonly unknown[]
}

/** The streams and the stored chats. */
export const forms: readonly Form[] = [...recordedForms(FOLDER)]
  .filter(({ architecture }) => architecture === 'gemini')
  .map(({ recording, form, raw }) => ({ name: recording, form, messages: messagesOf('gemini', raw) }))

/** The recordings with a stream and the chat that it left. */
export const pairs: readonly {
  readonly name: string
  readonly live: readonly unknown[]
  readonly stored: readonly unknown[]
}[] = forms.flatMap(({ name, form, messages }) => {
  const stored = forms.find((other) => other.name === name && other.form === 'store')?.messages
  return form === 'stream' && stored ? [{ name, live: messages, stored }] : []
})

/** Returns what the disk had when the stream had come to a line, by the number of lines. */
export function storedAt(name: string): readonly (readonly [count: number, messages: readonly unknown[]])[] {
  const folder = join(FOLDER, name, 'stored-at')
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((count) => [
    Number(count),
    messagesOf('gemini', geminiTranscript(filesIn(join(folder, count)))),
  ])
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]))
}

/** Returns the state after the messages. The input may go on. */
export function open(messages: readonly unknown[]): SessionConversationState {
  return geminiSource.read(geminiSource.open(), messages).session.state
}

/** Returns the state at the end of the input. */
export function read(messages: readonly unknown[]): SessionConversationState {
  return geminiSource.end(geminiSource.read(geminiSource.open(), messages).session).session.state
}
