import { aiderStorage } from './aider/program.ts'
import { allPrograms, programOf } from './all.ts'
import { antigravityStorage } from './antigravity/program.ts'
import { claudeCodeStorage } from './claude-code/program.ts'
import { clineStorage } from './cline/program.ts'
import { codexStorage } from './codex/program.ts'
import { continueStorage } from './continue/program.ts'
import { copilotStorage } from './copilot/program.ts'
import { droidStorage } from './droid/program.ts'
import { geminiStorage } from './gemini/program.ts'
import { grokStorage } from './grok/program.ts'
import { hermesStorage } from './hermes/program.ts'
import { kimiStorage } from './kimi/program.ts'
import { kiroStorage } from './kiro/program.ts'
import { kiloStorage, opencodeStorage } from './opencode/program.ts'
import { ohMyPiStorage, openClawStorage, piStorage } from './pi/program.ts'
import type { ProgramStorage } from './program.ts'
import { qwenStorage } from './qwen/program.ts'
import { vibeStorage } from './vibe/program.ts'

/**
 * The places of each program's sessions, by its first name. They are apart from the programs, because a browser has no use for
 * them, and from the wires, so that a list finds the sessions of a machine without the code that reads them.
 */
const STORAGES: ReadonlyMap<string, ProgramStorage> = /* @__PURE__ */ new Map([
  ['claude-code', claudeCodeStorage],
  ['opencode', opencodeStorage],
  ['kilo', kiloStorage],
  ['codex', codexStorage],
  ['pi', piStorage],
  ['oh-my-pi', ohMyPiStorage],
  ['openclaw', openClawStorage],
  ['gemini', geminiStorage],
  ['kimi', kimiStorage],
  ['qwen', qwenStorage],
  ['grok', grokStorage],
  ['copilot', copilotStorage],
  ['cline', clineStorage],
  ['kiro', kiroStorage],
  ['vibe', vibeStorage],
  ['antigravity', antigravityStorage],
  ['hermes', hermesStorage],
  ['aider', aiderStorage],
  ['droid', droidStorage],
  ['continue', continueStorage],
])

/** Returns the places of a program's sessions; undefined if it keeps none, or is unknown. */
export function storageOf(program: string | undefined): ProgramStorage | undefined {
  const known = programOf(program)
  return known && STORAGES.get(known.names[0])
}

/**
 * Returns the name of the program whose database has that name of a file. A channel of a program has its own, such as
 * `opencode-dev.db`.
 */
export function programOfDatabase(name: string): string | undefined {
  const own = name.replace(/^([^-.]+)-.+\.db$/, '$1.db')
  return allPrograms().find(({ names: [program] }) => storageOf(program)?.database?.name === own)?.names[0]
}
