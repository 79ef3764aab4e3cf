import type { Architecture } from '../../src/entries/index.ts'
import { STEP_WIRES } from '../laws/steps-forms.ts'

/** The formats of the folders of recordings. Beside a log of ACP are the files that the agent stored. */
export const FOLDERS: readonly (readonly [folder: RegExp, Architecture])[] = [
  // Its streams look like those of Claude Code.
  [/^public\/claude-code\/[^/]*qwen-code|^reports\/cli\/foreign-file/, 'qwen'],
  [/^acp\/[^/]+\/(?:live|load)/, 'acp'],
  [/^reports\/claude-code\/[^/]+\/connection/, 'acp'],
  [/^reports\/(?:acp|grok)\//, 'acp'],
  [/^reports\/ag-ui\//, 'ag-ui'],
  [/^reports\/[^/]+\/[^/]+\/codex\//, 'codex'],
  [/^reports\/[^/]+\/[^/]+\/pi\//, 'pi'],
  [/^reports\/copilot\//, 'copilot'],
  [/^reports\/(?:reopening|markdown|cli\/list-tokens)\//, 'claude-sdk'],
  [/^acp\/[^/]+-claude-/, 'claude-sdk'],
  [/^acp\/[^/]+-opencode-/, 'opencode'],
  [/^acp\/[^/]+-codex-/, 'codex'],
  [/^(?:(?:public|reports|interactive|laws)\/)?claude-code/, 'claude-sdk'],
  [/^(?:(?:public|reports|interactive|laws)\/)?opencode/, 'opencode'],
  [/^kilo/, 'opencode'],
  [/^(?:(?:laws|reports)\/)?pi/, 'pi'],
  [/^grok/, 'acp'],
  [/^(?:laws\/)?copilot\/[^/]+\/acp\./, 'acp'],
  [/^(?:laws\/)?copilot/, 'copilot'],
  [/^(?:laws\/)?gemini\/[^/]+\/acp\.ndjson/, 'acp'],
  [/^(?:(?:laws|reports)\/)?gemini/, 'gemini'],
  [/^(?:laws\/)?kimi\/[^/]+\/rpc/, 'acp'],
  [/^(?:(?:laws|reports)\/)?kimi/, 'kimi'],
  [/^(?:laws\/)?qwen\/[^/]+\/acp\.ndjson/, 'acp'],
  [/^(?:laws\/)?qwen/, 'qwen'],
  [/^(?:laws\/)?cline\/[^/]+\/rpc/, 'acp'],
  [/^(?:laws\/)?cline/, 'cline'],
  [/^(?:(?:public|reports|interactive|laws)\/)?codex/, 'codex'],
  ...STEP_WIRES.map((name) => [new RegExp(`^${name}`), name] as const),
]
