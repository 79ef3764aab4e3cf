// The notification that tells the model of Claude Code, or of Qwen Code, how a background task has ended.

/**
 * Returns the text in a tag of a notification. The report may itself contain tags, even the notification's own. So
 * the report ends at the last end tag, and tags behind the report are searched from the end.
 */
export function textInTag(text: string, tag: string, { isLast = false } = {}): string | undefined {
  const from = isLast ? text.lastIndexOf(`<${tag}>`) : text.indexOf(`<${tag}>`)
  const to = tag === 'result' ? text.lastIndexOf(`</${tag}>`) : text.indexOf(`</${tag}>`, from)
  return from < 0 || to < from ? undefined : unescaped(text.slice(from + tag.length + 2, to))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
}

/** The programs write signs of markup as entities. Older versions of Claude Code do not, so a text with such a sign has no entities. */
function unescaped(text: string): string {
  if (/[<>]/.test(text)) return text
  return text.replaceAll(/&(?:lt|gt|amp|quot|apos);/g, (entity) => ENTITIES[entity] ?? entity)
}
