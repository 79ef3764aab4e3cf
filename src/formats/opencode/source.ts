import { assertNever } from '../../json/assert-never.ts'
import { isObject } from '../../json/values.ts'
import type { Ending, Source, SourceEnd, Translated } from '../source.ts'
import { typeName } from '../translation/context.ts'
import { unfinishedTasks } from './agents/task-run.ts'
import { OpencodeContext } from './context.ts'
import { endHeld } from './events/buffered-events.ts'
import { translateEvent, translateHeld } from './events/dispatch.ts'
import { readEvent } from './events/event.ts'
import { placeStrays } from './events/session.ts'
import { exportEvents, isExport } from './files/export.ts'
import { initialMemory, type OpencodeMemory } from './memory.ts'

/**
 * Reads OpenCode: events of its bus (`GET /event`, in which the sessions of subagents come too), what `opencode export`
 * writes, a session an object, and lines of `opencode run --format json`.
 */
export const opencodeSource: Source<OpencodeMemory> = { initial: initialMemory, translate, end }

function translate(memory: OpencodeMemory, message: unknown): Translated<OpencodeMemory> {
  const translation = new OpencodeContext(memory)
  const read = translation.read(message)
  if (isExport(read)) for (const event of exportEvents(read)) translateEvent(event, translation)
  else translateOne(read, translation)
  return translation.finish()
}

function translateOne(message: unknown, translation: OpencodeContext): void {
  const event = isObject(message) ? readEvent(message) : undefined
  if (event) translateEvent(event, translation)
  else translation.reportUnknown('unknown-message', isObject(message) ? typeName(message.type) : 'no object')
}

function end(memory: OpencodeMemory): SourceEnd {
  const translation = new OpencodeContext(memory)
  endHeld(translation, translateHeld)
  const strays = placeStrays(translation)
  const unfinished = unfinishedTasks(translation.memory)
  const issues = [
    ...strays.map((toolUseId) => ({ code: 'unplaced-message' as const, count: 1, toolUseId })),
    ...unfinished.map((toolUseId) => ({ code: 'unfinished-subagent' as const, count: 1, toolUseId })),
  ]
  const last = translation.finish()
  const ending = unfinished.length > 0 ? 'interrupted' : endingOf(last.memory)
  return { events: last.events, issues: [...last.issues, ...issues], ending }
}

function endingOf({ turn }: OpencodeMemory): Ending {
  switch (turn) {
    case 'none':
      return 'open'
    case 'running':
    case 'interrupted':
      return 'interrupted'
    case 'answered':
      return 'finished'
    default:
      return assertNever(turn)
  }
}
