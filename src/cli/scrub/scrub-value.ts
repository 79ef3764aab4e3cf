import { isObject, parseJson } from '../../json/values.ts'
import { isKnownName, isOwnField } from './known-names.ts'
import type { Scrubber } from './scrub-words.ts'

/** Scrubs a value of JSON. The names of fields stay, and so do the words in fields that show the structure of a session. */
export function scrubValue(value: unknown, field: string, scrubber: Scrubber): unknown {
  if (typeof value === 'string') return scrubString(value, field, scrubber)
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, field, scrubber))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      FIELD.test(name) || isOwnField(name) ? scrubber.ids(name) : scrubber.words(name),
      scrubValue(item, name, scrubber),
    ]),
  )
}

/** The names of fields. A text or a path can be a name too, in a map of files or answers. */
const FIELD = /^(?:event\.)?[\w$:-]{1,60}$/

/** The fields whose words show the structure of a session. */
const STRUCTURE =
  /^(?:(?:(?:tool|event|hook_?event|function)[_.]?)?name|dir|jsonrpc|sessionUpdate|originator|tool|\w*(?:type|status|state|reason|reason_?code|role|kind|mode|model|version|event|method|outcome|decision|behavior|response|option_?id|level|phase|action|operation|field|category|cause|source|scope|signal))$/i

/** A word of a program, such as the name of a tool or a state. */
const TOKEN = /^[\w.:+-][\w.:/+-]{0,59}$/

/** The fields of the options of a request. Their first word shows what they mean. */
const OPTIONS = /^(?:label|options|title|value|name|option_?id|answers?)$/i

const ANSWER =
  /^(?:y|yes|ok|allow|approve|accept|continue|proceed|n|no|deny|block|reject|cancel|abort|stop|skip)\b/i

/** The requests of a connection that have only their name. */
const COMMAND = /^(?:prompt|steer|follow_up|abort|compact|fork|bash|[a-z]+_(?:session|state|model|messages))$/

function scrubString(text: string, field: string, scrubber: Scrubber): string {
  if (STRUCTURE.test(field) && TOKEN.test(text) && !isWord(text, field)) return scrubber.ids(text)
  if (isKnownName(text) || (field === 'command' && COMMAND.test(text))) return text
  const [answer] = OPTIONS.test(field) ? (ANSWER.exec(text) ?? []) : []
  if (answer !== undefined) return answer + scrubber.words(text.slice(answer.length))
  return scrubJson(text, field, scrubber) ?? scrubParts(text, field, scrubber)
}

/** Whether a name may be one of the person's or the model's own: an agent, a skill or a teammate. */
function isWord(text: string, field: string): boolean {
  return field === 'name' && /^[a-z]+$/.test(text) && !isKnownName(text)
}

/** A program puts JSON behind words of its own, or between them, and on lines of its own. */
function scrubParts(text: string, field: string, scrubber: Scrubber): string {
  return text.replace(/[[{].*[\]}]|[^[{]+|[[{]/gsu, (part) => {
    const json = scrubJson(part, field, scrubber)
    if (json !== undefined) return json
    const lines = part.split('\n')
    return lines.map((line) => scrubJson(line, field, scrubber) ?? scrubber.words(line, field)).join('\n')
  })
}

/** Scrubs a text that is an object or a list; undefined for any other text. */
function scrubJson(text: string, field: string, scrubber: Scrubber): string | undefined {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return typeof value === 'object' && value !== null
    ? JSON.stringify(scrubValue(value, field, scrubber))
    : undefined
}
