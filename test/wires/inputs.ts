import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture, SessionConversationState, SessionEvent } from '../../src/entries/index.ts'
import type { CombinedTranscript, Source } from '../../src/entries/source-kit.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { type RecordedForm, recordedForms } from '../laws/recordings.ts'
import { STEP_WIRES } from '../laws/steps-forms.ts'
import * as grok from '../programs/grok-recordings.ts'
import * as acp from './acp/recordings.ts'
import * as codex from './codex/recordings.ts'
import * as copilot from './copilot/recordings.ts'
import { messagesOf } from './messages-in.ts'
import * as opencode from './opencode/recordings.ts'
import * as pi from './pi/recordings.ts'
import { publicRecordings } from './public/recording.ts'
import * as claude from './recordings.ts'

/** One input of a recorded session: a live stream or stored files. */
export interface RecordedInput {
  readonly name: string
  readonly architecture: Architecture
  readonly source: Source
  readonly messages: readonly unknown[]
}

/** Every input of every recording: all sides of all programs, and live streams whose beginning the reader missed. */
export const inputs: readonly RecordedInput[] = [
  ...claude.allRecordings.flatMap(({ name, stream, disk }) => [
    inputOf(`${name}, stream`, 'claude-sdk', stream),
    joinedLate(inputOf(`${name}, late stream`, 'claude-sdk', stream)),
    inputOf(`${name}, files`, 'claude-sdk', disk),
  ]),
  ...opencode.recordings.flatMap(({ name, events, disk, run }) => [
    inputOf(`${name}, events`, 'opencode', events),
    joinedLate(inputOf(`${name}, late events`, 'opencode', events)),
    inputOf(`${name}, exports`, 'opencode', disk),
    ...(run === '' ? [] : [inputOf(`${name}, run`, 'opencode', run)]),
  ]),
  ...kiloEvents().map(([name, events]) => inputOf(`${name}, events of Kilo`, 'opencode', events)),
  ...codex.recordings.flatMap((recording) => [
    ...codex.formsOf(recording).map(([form, , raw]) => inputOf(`${recording.name}, ${form}`, 'codex', raw)),
    // Without the beginning, nothing shows which of several threads is main.
    ...(recording.expected.subagents
      ? []
      : [joinedLate(inputOf(`${recording.name}, late app-server`, 'codex', recording.app.live))]),
  ]),
  ...pi.forms.map(({ recording, form, raw }) => inputOf(`${recording}, ${form} of Pi`, 'pi', raw)),
  ...pi.forms
    .filter(({ form }) => form !== 'store')
    .map(({ recording, form, raw }) => joinedLate(inputOf(`${recording}, late ${form}`, 'pi', raw))),
  ...copilot.forms.flatMap(({ recording, form, raw }) => [
    inputOf(`${recording}, ${form}`, 'copilot', raw),
    ...(form === 'stream' ? [joinedLate(inputOf(`${recording}, late stream`, 'copilot', raw))] : []),
  ]),
  ...grok.recordings.flatMap(({ name, logs, stored }) => [
    inputOf(`${name}, files of Grok`, 'acp', stored),
    ...logs.map((log) => inputOf(`${name}, connection of Grok`, 'acp', log)),
  ]),
  ...grok.streams.map(([name, text]) => inputOf(`${name}, stream of Grok`, 'acp', text)),
  ...[...recordedForms(join(import.meta.dirname, '../../fixtures/kimi'))].map(
    ({ recording, form, architecture, raw }) => inputOf(`${recording}, ${form} of Kimi`, architecture, raw),
  ),
  ...acp.recordings.map(({ name, live }) => inputOf(`${name}, log`, 'acp', live)),
  ...acp.recordings
    .filter((_, at) => at % 4 === 0)
    .map(({ name, load }) => inputOf(`${name}, load`, 'acp', load)),
  ...formsIn('qwen').map(({ recording, form, architecture, raw }) =>
    inputOf(`${recording}, ${form} of Qwen`, architecture, raw),
  ),
  ...formsIn('cline').map(({ recording, form, architecture, raw }) =>
    inputOf(`${recording}, ${form} of Cline`, architecture, raw),
  ),
  ...formsIn('gemini').map(({ recording, form, architecture, raw }) =>
    inputOf(`${recording}, ${form} of Gemini`, architecture, raw),
  ),
  ...STEP_WIRES.flatMap(formsIn).map(({ recording, form, architecture, raw }) =>
    inputOf(`${recording}, ${form}`, architecture, raw),
  ),
  ...[...publicRecordings('claude-code'), ...publicRecordings('opencode'), ...publicRecordings('codex')]
    .filter(({ expected }) => !expected.refused)
    .map(({ name, architecture, raw }) => inputOf(`${name}, public`, architecture, raw)),
]

function kiloEvents(): readonly (readonly [name: string, events: string])[] {
  const folder = join(import.meta.dirname, '../../fixtures/kilo')
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name, 'events.ndjson'), 'utf8')])
}

function formsIn(folder: string): readonly RecordedForm[] {
  return [...recordedForms(join(import.meta.dirname, '../../fixtures', folder))]
}

type Messages = Pick<RecordedInput, 'source' | 'messages'>

/** Returns the events of a whole input. */
export function eventsOf(input: Messages): readonly SessionEvent[] {
  return wholeOf(input).events
}

/** Returns the state at the end of an input. */
export function stateOf(input: Messages): SessionConversationState {
  return wholeOf(input).state
}

interface Whole {
  readonly source: Source
  readonly events: readonly SessionEvent[]
  readonly state: SessionConversationState
}

/** Many files of a worker need the whole of each recording, so it is read once. */
const wholes = new WeakMap<readonly unknown[], Whole>()

function wholeOf({ source, messages }: Messages): Whole {
  const known = wholes.get(messages)
  if (known?.source === source) return known
  const { session, events } = source.read(source.open(), messages)
  const end = source.end(session)
  const whole = { source, events: [...events, ...end.events], state: end.session.state }
  wholes.set(messages, whole)
  return whole
}

function inputOf(name: string, architecture: Architecture, raw: string | CombinedTranscript): RecordedInput {
  const source = loadedSourceOf(architecture)
  return { name: `${architecture}, ${name}`, architecture, source, messages: messagesOf(architecture, raw) }
}

function joinedLate({ messages, ...input }: RecordedInput): RecordedInput {
  return { ...input, messages: messages.slice(Math.ceil(messages.length / 3)) }
}
