import { asString } from '../core/json/values.ts'
import type { ArchitectureName, StepWire } from '../programs/program.ts'
import type { Source } from '../reading/source.ts'

const claude = async () => (await import('./claude/source.ts')).claudeSource

const SOURCES: { readonly [Name in Exclude<ArchitectureName, StepWire>]: () => Promise<Source> } = {
  'claude-sdk': claude,
  opencode: async () => (await import('./opencode/source.ts')).opencodeSource,
  codex: async () => (await import('./codex/source.ts')).codexSource,
  pi: async () => (await import('./pi/source.ts')).piSource,
  gemini: async () => (await import('./gemini/source.ts')).geminiSource,
  kimi: async () => (await import('./kimi/source.ts')).kimiSource,
  qwen: async () => (await import('./qwen/source.ts')).qwenSource,
  acp: async () => (await import('./acp/source.ts')).acpSource,
  'ag-ui': async () => (await import('./ag-ui/source.ts')).agUiSource,
  copilot: async () => (await import('./copilot/source.ts')).copilotSource,
  cline: async () => (await import('./cline/source.ts')).clineSource,
  'claude-code': claude,
}

/** Loads the source of one wire by its name, so that a page loads no other. Rejects with a `RangeError` for an unknown name. */
export async function sourceOf(architecture: ArchitectureName): Promise<Source> {
  if (hasOwnModule(architecture)) return SOURCES[architecture]()
  const { isStepWire, STEP_SOURCES } = await import('./step-sources.ts')
  if (isStepWire(architecture)) return STEP_SOURCES[architecture]
  const names = [...Object.keys(SOURCES), ...Object.keys(STEP_SOURCES)]
  throw new RangeError(
    `unknown architecture ${asString(architecture) ?? typeof architecture}: use ${names.join(' or ')}`,
  )
}

function hasOwnModule(architecture: unknown): architecture is keyof typeof SOURCES {
  return typeof architecture === 'string' && Object.hasOwn(SOURCES, architecture)
}
