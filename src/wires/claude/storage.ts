import { omitUndefined } from '../../json/omit-undefined.ts'
import { asString, isObject, type JsonObject } from '../../json/values.ts'
import type { SessionStorage } from '../format.ts'

/** Claude Code keeps a folder per project in `projects/`, with one file per session. `CLAUDE_CONFIG_DIR` replaces `~/.claude`. */
export const claudeStorage: SessionStorage = {
  folders: ({ home, variables }) => [
    { path: `${variables.CLAUDE_CONFIG_DIR || `${home}/.claude`}/projects`, depth: 1 },
  ],
  facts: (value) => (isObject(value) ? omitUndefined({ title: titleOf(value) }) : {}),
}

/** A title is a line of its own. The model or the person writes it, and a later one replaces it. */
function titleOf({ type, aiTitle, customTitle, summary }: JsonObject): string | undefined {
  if (type === 'ai-title') return asString(aiTitle)
  if (type === 'custom-title') return asString(customTitle)
  return type === 'summary' ? asString(summary) : undefined
}
