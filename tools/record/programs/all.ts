import type { RecordedProgram } from '../program.ts'
import { claudeCode } from './claude-code.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { continueCli } from './continue.ts'
import { copilot } from './copilot.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import { grok } from './grok.ts'
import { kimi } from './kimi.ts'
import { kilo, opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'

/** The programs that the recorder runs. */
export const RECORDED_PROGRAMS: readonly RecordedProgram[] = [
  claudeCode,
  opencode,
  kilo,
  codex,
  pi,
  kimi,
  copilot,
  gemini,
  qwen,
  grok,
  cline,
  droid,
  continueCli,
]

/** The programs that the recorder does not run, with the reason. */
export const NOT_RECORDED: Readonly<Record<string, string>> = {
  'oh-my-pi': 'it writes the files of Pi',
  openclaw: 'it writes the files of Pi',
  kiro: 'it needs an account of its provider',
  vibe: 'it is a package of Python',
  antigravity: 'it needs an account of its provider',
  hermes: 'it is a package of Python',
  aider: 'it is a package of Python',
}
