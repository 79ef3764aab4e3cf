import { asString } from '../core/json/values.ts'
import type { Architecture, ArchitectureName } from '../programs/program.ts'
import { acpFormat } from './acp/format.ts'
import { agUiFormat } from './ag-ui/format.ts'
import { aiderFormat } from './aider/format.ts'
import { antigravityFormat } from './antigravity/format.ts'
import { claudeFormat } from './claude/format.ts'
import { clineFormat } from './cline/format.ts'
import { codexFormat } from './codex/format.ts'
import { continueFormat } from './continue/format.ts'
import { copilotFormat } from './copilot/format.ts'
import { droidFormat } from './droid/format.ts'
import type { Format } from './format.ts'
import { geminiFormat } from './gemini/format.ts'
import { hermesFormat } from './hermes/format.ts'
import { kimiFormat } from './kimi/format.ts'
import { kiroFormat } from './kiro/format.ts'
import { architectureNamed, architectures } from './names.ts'
import { opencodeFormat } from './opencode/format.ts'
import { piFormat } from './pi/format.ts'
import { qwenFormat } from './qwen/format.ts'
import { vibeFormat } from './vibe/format.ts'

/** Every format by its name. Detection asks them in this order. */
const FORMATS: { readonly [Name in Architecture]: Format<Name> } = {
  'claude-sdk': claudeFormat,
  opencode: opencodeFormat,
  codex: codexFormat,
  pi: piFormat,
  gemini: geminiFormat,
  kimi: kimiFormat,
  qwen: qwenFormat,
  acp: acpFormat,
  'ag-ui': agUiFormat,
  copilot: copilotFormat,
  cline: clineFormat,
  kiro: kiroFormat,
  vibe: vibeFormat,
  antigravity: antigravityFormat,
  hermes: hermesFormat,
  aider: aiderFormat,
  droid: droidFormat,
  continue: continueFormat,
}

/** The format that reads an input which no format recognizes, so as to report that. */
export const DEFAULT_ARCHITECTURE: Architecture = 'claude-sdk'

/** Every format, in the order in which detection asks them. */
export function allFormats(): readonly Format<Architecture>[] {
  return Object.values(FORMATS)
}

/** Returns the format by its name. Throws a `RangeError` for another name. */
export function formatOf(architecture: ArchitectureName): Format<Architecture> {
  const known = architectureNamed(architecture)
  if (known) return FORMATS[known]
  throw new RangeError(
    `unknown architecture ${asString(architecture) ?? typeof architecture}: use ${architectures()}`,
  )
}
