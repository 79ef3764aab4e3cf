import { programOf } from './all.ts'
import { claudeReader } from './claude-code/agent-result.ts'
import { clineReader } from './cline/tool-result.ts'
import { codexReader } from './codex/reader.ts'
import { copilotReader } from './copilot/tool-result.ts'
import { geminiReader } from './gemini/tool-result.ts'
import { grokReader } from './grok/reader.ts'
import { kimiReader } from './kimi/results.ts'
import { opencodeReader } from './opencode/tool-result.ts'
import { qwenReader } from './qwen/tool-result.ts'
import type { ProgramReader, ProgramStream, SessionFolder } from './reader.ts'

/** The readers of programs, by their first names. They are apart from the programs, because only a protocol's wire needs them. */
const READERS: ReadonlyMap<string, ProgramReader> = /* @__PURE__ */ new Map([
  ['claude-code', claudeReader],
  ['opencode', opencodeReader],
  ['kilo', opencodeReader],
  ['codex', codexReader],
  ['gemini', geminiReader],
  ['kimi', kimiReader],
  ['qwen', qwenReader],
  ['grok', grokReader],
  ['copilot', copilotReader],
  ['cline', clineReader],
])

/** Returns the folders of sessions in which programs store the messages of a protocol. */
export function sessionFolders(): readonly SessionFolder[] {
  return [...READERS.values()].flatMap(({ sessionFolder }) => sessionFolder ?? [])
}

/** Returns the streams that programs print in the place of a protocol's messages, by the names of the programs. */
export function programStreams(): readonly (readonly [program: string, stream: ProgramStream])[] {
  return [...READERS].flatMap(([name, { stream }]) => (stream ? [[name, stream] as const] : []))
}

/** A program whose tools are not known. */
const GENERIC: ProgramReader = {}

/** Returns the reader of a program by its name. An unknown program gets one without any knowledge. */
export function readerOf(program: string | undefined): ProgramReader {
  return READERS.get(programOf(program)?.names[0] ?? '') ?? GENERIC
}
