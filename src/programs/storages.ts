import { claudeCodeStorage } from './claude-code/program.ts'
import { clineStorage } from './cline/program.ts'
import { codexStorage } from './codex/program.ts'
import { copilotStorage } from './copilot/program.ts'
import { geminiStorage } from './gemini/program.ts'
import { grokStorage } from './grok/program.ts'
import { kimiStorage } from './kimi/program.ts'
import { kiloStorage, opencodeStorage } from './opencode/program.ts'
import { ohMyPiStorage, openClawStorage, piStorage } from './pi/program.ts'
import type { ProgramStorage } from './program.ts'
import { qwenStorage } from './qwen/program.ts'

/**
 * The places of each program's sessions, by its first name. They are apart from the programs, because a browser has no use for
 * them. A wire of whole messages names those of its only program (`storage.places` of its format).
 */
export const STORAGES: ReadonlyMap<string, ProgramStorage> = /* @__PURE__ */ new Map([
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
