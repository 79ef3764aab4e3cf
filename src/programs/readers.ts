import { programOf } from './all.ts'
import { claudeReader } from './claude-code/reader.ts'
import { codexReader } from './codex/reader.ts'
import { opencodeReader } from './opencode/reader.ts'
import type { Architecture } from './program.ts'
import type { ProgramReader } from './reader.ts'

/** The readers of programs, by their own wires. They are apart from the programs, because only a protocol's wire needs them. */
const READERS: Readonly<Partial<Record<Architecture, ProgramReader>>> = {
  'claude-sdk': claudeReader,
  opencode: opencodeReader,
  codex: codexReader,
}

/** A program whose tools are not known. */
const GENERIC: ProgramReader = {}

/** Returns the reader of a program by its name. An unknown program gets one without any knowledge. */
export function readerOf(program: string | undefined): ProgramReader {
  return READERS[programOf(program)?.wire ?? 'acp'] ?? GENERIC
}
