import { allPrograms, programOf } from '../programs/all.ts'
import { claudeCodeStorage } from '../programs/claude-code/program.ts'
import { clineStorage } from '../programs/cline/program.ts'
import { codexStorage } from '../programs/codex/program.ts'
import { copilotStorage } from '../programs/copilot/program.ts'
import { geminiStorage } from '../programs/gemini/program.ts'
import { grokStorage } from '../programs/grok/program.ts'
import { kimiStorage } from '../programs/kimi/program.ts'
import { kiloStorage, opencodeStorage } from '../programs/opencode/program.ts'
import { ohMyPiStorage, openClawStorage, piStorage } from '../programs/pi/program.ts'
import type { ProgramStorage } from '../programs/program.ts'
import { qwenStorage } from '../programs/qwen/program.ts'
import { formatOf } from './all.ts'

/** Returns the places of a program's sessions; undefined if it keeps none, or is unknown. */
export function storageOf(program: string | undefined): ProgramStorage | undefined {
  const known = programOf(program)
  return known && (STORAGES.get(known.names[0]) ?? formatOf(known.wire).storage.places)
}

/**
 * Returns the name of the program whose database has that name of a file. A channel of a program has its own, such as
 * `opencode-dev.db`.
 */
export function programOfDatabase(name: string): string | undefined {
  const own = name.replace(/^([^-.]+)-.+\.db$/, '$1.db')
  return allPrograms().find(({ names: [program] }) => storageOf(program)?.database?.name === own)?.names[0]
}

/**
 * The places of each program's sessions, by its first name. They are apart from the programs, because a browser has no use for
 * them. A wire of whole messages names those of its only program (`storage.places` of its format).
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
])
