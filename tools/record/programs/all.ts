import type { RecordedProgram } from '../program.ts'
import { claudeCode } from './claude-code.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
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
]

/** The programs that write the files of another one, which the recorder runs. */
export const PROGRAMS_ALIKE: Readonly<Record<string, string>> = {
  'oh-my-pi': 'it writes the files of Pi',
  openclaw: 'it writes the files of Pi',
}
