import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { qwenSource, qwenTranscript } from '../../../src/entries/qwen.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { messagesOf } from '../messages-in.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')
const FOLDER = join(FIXTURES, 'qwen')

/** A form of a recording with its messages. */
export interface Form {
  readonly name: string
  readonly form: string
  readonly messages: readonly unknown[]
}

/** The streams and the stored chats. */
export const forms: readonly Form[] = [FOLDER, join(FIXTURES, 'laws/qwen')]
  .flatMap((folder) => [...recordedForms(folder)])
  .filter(({ architecture }) => architecture === 'qwen')
  .map(({ recording, form, raw }) => ({ name: recording, form, messages: messagesOf('qwen', raw) }))

/** The recordings with a live form and the chat that it left. */
export const pairs = forms.flatMap(({ name, form, messages }) => {
  const stored = forms.find((other) => other.name === name && other.form === 'store')?.messages
  return form !== 'store' && stored ? [{ name, form, live: messages, stored }] : []
})

/** Returns what the disk had when the stream had come to a line, by the number of lines. */
export function storedAt(name: string): readonly (readonly [count: number, messages: readonly unknown[]])[] {
  const folder = join(FOLDER, name, 'stored-at')
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((count) => [
    Number(count),
    messagesOf('qwen', qwenTranscript(filesIn(join(folder, count)))),
  ])
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]))
}

/** Returns the state at the end of the input. */
export function read(messages: readonly unknown[]) {
  return qwenSource.end(qwenSource.read(qwenSource.open(), messages).session).session.state
}
