import { expect, it } from 'vitest'
import { geminiTranscript } from '../../../src/entries/gemini.ts'
import { agentFolder } from '../../../src/wires/gemini/format.ts'

const header = (sessionId: unknown) => ({
  sessionId,
  projectHash: 'h',
  startTime: '2026-11-22T10:00:00.000Z',
})

/** Returns a reader of one folder with these files. */
const readerOf = (files: Readonly<Record<string, unknown>>) => ({
  names: () => Object.keys(files).map((path) => path.split('/').at(-1) ?? ''),
  value: (path: string) => files[path],
  values: (path: string) => [files[path]].filter((value) => value !== undefined),
})

it.each<[string, string, unknown, string | undefined]>([
  ['has the name of the id', 'chats/session-1.jsonl', header('abc'), 'chats/abc'],
  ['stands beside a file without a folder', 'session-1.jsonl', header('abc'), 'abc'],
  ['is unknown if the id is a path', 'chats/session-1.jsonl', header('../abc'), undefined],
  ['is unknown without an id', 'chats/session-1.jsonl', {}, undefined],
  ['is unknown for a file that is empty', 'chats/session-1.jsonl', undefined, undefined],
])('the folder of the agents of a session of Gemini CLI %s', (_, path, value, folder) => {
  expect(agentFolder(path, readerOf({ [path]: value }))?.folder).toBe(folder)
})

it('needs a session among the files', () => {
  expect(() => geminiTranscript({ 'a.txt': '', 'b.txt': '' })).toThrow('no session among the files')
})
