import type { Architecture, ArchitectureName } from '../programs/program.ts'
import type { Source } from '../reading/source.ts'
import { acpSource } from './acp/source.ts'
import { agUiSource } from './ag-ui/source.ts'
import { formatOf } from './all.ts'
import { claudeSource } from './claude/source.ts'
import { clineSource } from './cline/source.ts'
import { codexSource } from './codex/source.ts'
import { copilotSource } from './copilot/source.ts'
import { geminiSource } from './gemini/source.ts'
import { kimiSource } from './kimi/source.ts'
import { opencodeSource } from './opencode/source.ts'
import { piSource } from './pi/source.ts'
import { qwenSource } from './qwen/source.ts'
import { STEP_SOURCES } from './step-sources.ts'

/** Every source, for callers that cannot wait for one. `sourceOf` loads one alone, in less time. */
const SOURCES: { readonly [Name in Architecture]: Source } = {
  'claude-sdk': claudeSource,
  opencode: opencodeSource,
  codex: codexSource,
  pi: piSource,
  gemini: geminiSource,
  kimi: kimiSource,
  qwen: qwenSource,
  acp: acpSource,
  'ag-ui': agUiSource,
  copilot: copilotSource,
  cline: clineSource,
  ...STEP_SOURCES,
}

/** Returns the source of a wire by its name. Throws a `RangeError` for another name. */
export function loadedSourceOf(architecture: ArchitectureName): Source {
  return SOURCES[formatOf(architecture).name]
}

/** Returns every source, in the order in which detection asks their formats. */
export function allSources(): readonly Source[] {
  return Object.values(SOURCES)
}
