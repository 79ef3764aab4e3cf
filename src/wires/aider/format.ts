import { isObject } from '../../core/json/values.ts'
import { onlySession, severalSessions } from '../../reading/input/combined.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format, StoredSession } from '../format.ts'
import { startOfChat } from './line.ts'

const FILE = /(?:^|[\\/])\.aider\.chat\.history\.md$/

/** Separates the path of the file from the start of a chat. */
const SEPARATOR = '#'

/** A chat in a file: its id, and its lines. */
interface Chat {
  readonly id: string
  readonly lines: readonly unknown[]
}

/** Returns the chats in a file, the first one first. A chat that began in the same second has a number behind its id. */
function chatsIn(path: string, reader: FileReader): readonly Chat[] {
  const chats: { readonly id: string; readonly lines: unknown[] }[] = []
  const counts = new Map<string, number>()
  for (const value of reader.values(path)) {
    const start = startOfChat(value)
    if (start !== undefined) {
      const count = (counts.get(start) ?? 0) + 1
      counts.set(start, count)
      chats.push({ id: count === 1 ? start : `${start}~${count}`, lines: [] })
    }
    const last = chats.at(-1)
    if (!last) return []
    last.lines.push(value)
  }
  return chats
}

/** Reads a chat: `<file>#<start>`, or the only one of a file. Throws a `TranscriptError` if the file has several. */
function readStored(path: string, reader: FileReader): StoredSession | undefined {
  const at = path.lastIndexOf(SEPARATOR)
  const isChat = at >= 0 && path.slice(0, at).endsWith('.md')
  const file = isChat ? path.slice(0, at) : path
  if (!file.endsWith('.md')) return undefined
  const chats = chatsIn(file, reader)
  if (!isChat && chats.length > 1) throw severalSessions(chats.map(({ id }) => `${file}${SEPARATOR}${id}`))
  const chat = isChat ? chats.find(({ id }) => id === path.slice(at + 1)) : chats[0]
  if (!chat) return undefined
  const folder = FILE.test(file) ? file.replace(/[\\/]?[^\\/]*$/, '') || '.' : undefined
  const facts = folder === undefined ? [] : [{ type: 'aider_folder', cwd: folder }]
  return { transcripts: [{ content: { value: [...facts, ...chat.lines] } }], sources: [file] }
}

/** How the files of a session become one stream of messages. */
export const aiderRules: TranscriptRules = { timeOf: () => undefined }

/** Aider: the chats in `.aider.chat.history.md`. */
export const aiderFormat: Format<'aider'> = {
  name: 'aider',
  inputs: 'Aider (.aider.chat.history.md: each chat in it is a session)',
  isDocument: () => false,
  isMessage: (value) => startOfChat(value) !== undefined,
  transcripts: aiderRules,
  files: {
    isSession: (path) => FILE.test(path),
    isPart: (path) => FILE.test(path),
    agentFiles: () => undefined,
    hasAllAgents: true,
    transcripts: (paths, _reader, sessionPath) => [
      { path: sessionPath ?? onlySession(paths, 'an .aider.chat.history.md') },
    ],
  },
  storage: {
    facts: (value) => {
      const id = startOfChat(value)
      return id === undefined || !isObject(value) ? {} : { id }
    },
    readStored,
    sessionsIn: (path, reader) => (FILE.test(path) ? chatsIn(path, reader).map(({ id }) => id) : undefined),
  },
}
