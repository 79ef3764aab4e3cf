import { omitUndefined } from '../../json/omit-undefined.ts'
import { asString, isObject, type JsonObject } from '../../json/values.ts'
import type { SessionStorage } from '../format.ts'

export const claudeStorage: SessionStorage = {
  facts: (value) => (isObject(value) ? omitUndefined({ title: titleOf(value) }) : {}),
}

/** A title is a line of its own. The model or the person writes it, and a later one replaces it. */
function titleOf({ type, aiTitle, customTitle, summary }: JsonObject): string | undefined {
  if (type === 'ai-title') return asString(aiTitle)
  if (type === 'custom-title') return asString(customTitle)
  return type === 'summary' ? asString(summary) : undefined
}
