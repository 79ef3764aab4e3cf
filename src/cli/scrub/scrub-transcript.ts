import { isObject, parseJson } from '../../core/json/values.ts'
import type { CombinedTranscript } from '../../reading/input/combined.ts'
import { redactTokens } from '../../redaction/tokens.ts'
import {
  hasAgentType,
  isKnownName,
  isOwnField,
  MODEL_FIELD,
  type Place,
  placeIn,
  type Scrubber,
  scrubberOf,
} from './scrub-words.ts'

/** Replaces the words, ids and paths of a session. The names of fields, types, states and tools stay, because they show its structure. */
export function scrubTranscript(whole: CombinedTranscript): CombinedTranscript {
  const { main, subagents } = whole
  const texts = transcriptTexts(whole)
  const ids = subagents.map(({ id }) => ({ id }))
  const scrubber = scrubberOf([...ids, ...texts.flatMap(valuesOf)])
  return {
    main: scrubText(main, scrubber),
    subagents: subagents.map(({ id, transcript, meta }) => ({
      id: scrubber.words(id, 'id'),
      transcript: scrubText(transcript, scrubber),
      ...(meta !== undefined && { meta: scrubText(meta, scrubber) }),
    })),
  }
}

/** Returns the texts of a session's files. */
export function transcriptTexts({ main, subagents }: CombinedTranscript): readonly string[] {
  return [main, ...subagents.flatMap(({ transcript, meta = '' }) => [transcript, meta])]
}

function valuesOf(text: string): readonly unknown[] {
  const document = parseJson(text)
  return document === undefined ? text.split('\n').map((line) => parseJson(line) ?? line) : [document]
}

/** A text is a JSON document, or has one value on each line. */
function scrubText(text: string, scrubber: Scrubber): string {
  return (
    scrubDocument(text, scrubber) ??
    text
      .split('\n')
      .map((line) => scrubLine(line, scrubber))
      .join('\n')
  )
}

function scrubLine(line: string, scrubber: Scrubber): string {
  return scrubDocument(line, scrubber) ?? scrubber.words(line)
}

function scrubDocument(text: string, scrubber: Scrubber): string | undefined {
  const value = parseJson(text)
  return value === undefined ? undefined : JSON.stringify(scrubValue(value, scrubber))
}

/** Scrubs a value of JSON. The names of fields stay, and so do the words in fields that show the structure of a session. */
function scrubValue(value: unknown, scrubber: Scrubber): unknown {
  return scrubAt(value, { field: '', isForeign: false }, scrubber)
}

function scrubAt(value: unknown, place: Place, scrubber: Scrubber): unknown {
  if (typeof value === 'string') return scrubString(value, place, scrubber)
  if (Array.isArray(value)) return value.map((item) => scrubAt(item, place, scrubber))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      FIELD.test(name) || isOwnField(name) ? scrubber.ids(name) : scrubber.words(name),
      scrubAt(item, placeIn(value, name, place), scrubber),
    ]),
  )
}

/** The names of fields. A text or a path can be a name too, in a map of files or answers. */
const FIELD = /^(?:event\.)?[\w$:-]{1,60}$/

/** The fields whose words show the structure of a session. */
const STRUCTURE = /* @__PURE__ */ new RegExp(
  '^(?:(?:(?:tool|event|hook_?event|function)[_.]?)?name|dir|entrypoint|jsonrpc|sessionUpdate' +
    String.raw`|originator|tool|\w*(?:type|status|state|reason|reason_?code|role|kind|mode|model|version|event` +
    '|method|outcome|decision|behavior|response|option_?id|level|phase|action|category|cause|source' +
    '|scope|signal|operation|delivery|namespace|field|finish))$',
  'i',
)

/** A word of a program, such as the name of a tool or a state. */
const TOKEN = /^[\w.:+-][\w.:/+-]{0,59}$/

/** The fields of a tool's call or result whose words stay: the types of agents, and models. */
const FOREIGN_NAME = /(?:agent_?type|model)$/i

/** The fields with agents. */
const AGENT_FIELD = /agent/i

/** The name of an agent is often its type. */
const AGENT_NAME = /agent_?(?:display_?)?name$/i

/** The words that programs put into the other fields of their tools' calls and results. */
const PROGRAM_WORDS: ReadonlySet<string> = new Set(
  `text image image_url audio resource resource_link document content diff terminal tool_use tool_result
  shell_exit shell_result task_execution
  object array string boolean integer number null add create update delete move
  pending in_progress inProgress completed complete cancelled canceled
  failed failure error success running done deleted idle spawned approved
  approve-once denied reject denied-interactively-by-user permission_denied
  user assistant system tool async_launched local_agent background foreground sync GOAL`.split(/\s+/),
)

/** The fields of the options of a request. Their first word shows what they mean. */
const OPTIONS = /^(?:label|options|title|value|name|option_?id|answers?)$/i

const ANSWER =
  /^(?:y|yes|ok|allow|approve|accept|continue|proceed|n|no|deny|block|reject|cancel|abort|stop|skip)\b/i

/** The requests of a connection that have only their name. */
const COMMAND = /^(?:prompt|steer|follow_up|abort|compact|fork|bash|[a-z]+_(?:session|state|model|messages))$/

function scrubString(text: string, place: Place, scrubber: Scrubber): string {
  const { field, isForeign, isQuoted } = place
  if (!TOKEN.test(text)) return scrubWords(text, place, scrubber)
  if (MODEL_FIELD.test(field) || AGENT_FIELD.test(field)) {
    if (isKey(text)) return scrubber.words(text, field)
    const isOwn = !isForeign && !isQuoted
    if (isOwn && MODEL_FIELD.test(field)) return text
    const isType = hasAgentType(place) || (isOwn && AGENT_NAME.test(field) && scrubber.agentTypes.has(text))
    if (isType || FOREIGN_NAME.test(field)) return scrubber.ids(text)
  }
  if (STRUCTURE.test(field) && !isWord(text, field) && (!isForeign || PROGRAM_WORDS.has(text)))
    return scrubber.ids(text)
  return scrubWords(text, place, scrubber)
}

/** Whether a word is a key, or an id, and so no name of a model, a provider or a type. */
function isKey(text: string): boolean {
  return redactTokens(text) !== text || KEY.test(text)
}

const KEY = /(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{16}|[\da-f]{8}-[\da-f]{4}-/i

function scrubWords(text: string, place: Place, scrubber: Scrubber): string {
  const { field } = place
  if (isKnownName(text) || (field === 'command' && COMMAND.test(text))) return text
  const [answer] = OPTIONS.test(field) ? (ANSWER.exec(text) ?? []) : []
  if (answer !== undefined) return answer + scrubber.words(text.slice(answer.length))
  return scrubJson(text, place, scrubber) ?? scrubParts(text, place, scrubber)
}

/** Whether a name may be one of the person's or the model's own: an agent, a skill or a teammate. */
function isWord(text: string, field: string): boolean {
  return field === 'name' && /^[a-z]+$/.test(text) && !isKnownName(text)
}

/** A program puts JSON behind words of its own, or between them, and on lines of its own. */
function scrubParts(text: string, place: Place, scrubber: Scrubber): string {
  const last = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}')) + 1
  const first = Math.min(text.search(/[[{]|$/), last)
  return [text.slice(0, first), text.slice(first, last), text.slice(last)]
    .map((part) => scrubJson(part, place, scrubber) ?? scrubLines(part, place, scrubber))
    .join('')
}

function scrubLines(text: string, place: Place, scrubber: Scrubber): string {
  const lines = text.split('\n')
  return lines.map((line) => scrubJson(line, place, scrubber) ?? scrubber.words(line, place.field)).join('\n')
}

/** Scrubs a text that is an object or a list; undefined for any other text. */
function scrubJson(text: string, place: Place, scrubber: Scrubber): string | undefined {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return typeof value === 'object' && value !== null
    ? JSON.stringify(scrubAt(value, { ...place, isQuoted: true }, scrubber))
    : undefined
}
