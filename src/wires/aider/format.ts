import { isObject } from '../../core/json/values.ts'
import { onlySession, severalSessions } from '../../reading/input/combined.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format, StoredSession } from '../format.ts'
import { startOfChat } from './line.ts'

const FILE = /(?:^|[\\/])\.aider\.chat\.history\.md$/

/** Separates the path of the file from the start of a chat. */
const SEPARATOR = '#'

/** The chats that a pass has read last. Each of them is a session, and comes after the one before. */
const lastRead = new WeakMap<object, { readonly path: string; readonly chats: Chats }>()

/** The chats of a file by their ids, the first one first. */
type Chats = ReadonlyMap<string, readonly unknown[]>

function chatsIn(path: string, reader: FileReader): Chats {
  const known = reader.pass && lastRead.get(reader.pass)
  if (known?.path === path) return known.chats
  const chats = readChats(path, reader)
  if (reader.pass) lastRead.set(reader.pass, { path, chats })
  return chats
}

/** A chat that began in the same second as another one has a number behind its id. */
function readChats(path: string, reader: FileReader): Chats {
  const chats = new Map<string, unknown[]>()
  const counts = new Map<string, number>()
  let last: unknown[] | undefined
  for (const value of reader.values(path)) {
    const start = startOfChat(value)
    if (start !== undefined) {
      const count = (counts.get(start) ?? 0) + 1
      counts.set(start, count)
      last = []
      chats.set(count === 1 ? start : `${start}~${count}`, last)
    }
    if (!last) break
    last.push(value)
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
  const [only, ...others] = chats.keys()
  if (!isChat && others.length > 0)
    throw severalSessions([...chats.keys()].map((id) => `${file}${SEPARATOR}${id}`))
  const lines = chats.get(isChat ? path.slice(at + 1) : (only ?? ''))
  if (!lines) return undefined
  const folder = FILE.test(file) ? file.replace(/[\\/]?[^\\/]*$/, '') || '.' : undefined
  const facts = folder === undefined ? [] : [{ type: 'aider_folder', cwd: folder }]
  return { transcripts: [{ content: { value: [...facts, ...lines] } }], sources: [file] }
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
    sessionsIn: (path, reader) => (FILE.test(path) ? [...chatsIn(path, reader).keys()] : undefined),
  },
}
