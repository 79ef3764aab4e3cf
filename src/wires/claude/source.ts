import { assertNever } from '../../json/assert-never.ts'
import { isObject, type JsonObject } from '../../json/values.ts'
import { CLAUDE_CODE } from '../../programs/claude-code/program.ts'
import { typeName } from '../../session/context.ts'
import { defineSource } from '../../session/define-source.ts'
import type { Source } from '../../session/source.ts'
import { drain, type WorkQueue } from '../../session/work-queue.ts'
import { unwrapAgentProgress } from './agents/agent-progress.ts'
import { updateTokens } from './blocks/assistant.ts'
import { ClaudeContext } from './context.ts'
import { end } from './end.ts'
import { type Line, readLine } from './lines/line.ts'
import { isConversationLine } from './lines/line-types.ts'
import { rememberLine } from './lines/read-lines.ts'
import { NOTES } from './memory-shape.ts'
import { resume } from './resume/resume.ts'
import { bufferLine } from './routing/buffer.ts'
import { isInlineAgentLine, releaseInlineLines } from './routing/inline-agents.ts'
import { reportOtherSession } from './routing/other-session.ts'
import { isProgramAgentLine } from './routing/program-agents.ts'
import { type IgnoreReason, routeLine } from './routing/route.ts'
import { releaseByLiveLine, releaseByResult, releaseLinked } from './routing/unlinked-agents.ts'
import { reportUnknownType, translateLine, translateReleased } from './translate-line.ts'

/**
 * Reads Claude Code and the Claude Agent SDK: messages of `--output-format stream-json`, with or without partial
 * messages, and lines of the files under `projects/`.
 */
export const claudeSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new ClaudeContext(session),
  translate,
  end,
  open: resume,
})

const DONE: WorkQueue = []

function translate(message: unknown, context: ClaudeContext): void {
  const raw = context.read(message)
  if (isObject(raw)) translateMessage(raw, context)
  else context.reportUnknown('unknown-message', 'no object')
}

function translateMessage(raw: JsonObject, context: ClaudeContext): void {
  reportOtherSession(raw, context)
  drain(processMessage(raw, context))
  context.nameSession({ program: CLAUDE_CODE })
}

/** Processes a line. If it holds an agent's message, the lines that wait for that agent come first. */
function processMessage(raw: JsonObject, context: ClaudeContext): WorkQueue {
  const message = unwrapAgentProgress(raw, context)
  const released = message === raw ? releaseByLiveLine(raw, context) : releaseLinked(message, context)
  return released.length === 0
    ? processLine(readLine(context.memory, message), context)
    : tasksOf([...released, message], context)
}

/** Processes the buffered lines that this line releases, then the line itself. */
function processLine(line: Line, context: ClaudeContext): WorkQueue {
  const released = releaseBefore(line, context)
  return released.length === 0 ? followRoute(line, context) : [...released, () => followRoute(line, context)]
}

function followRoute(line: Line, context: ClaudeContext): WorkQueue {
  const route = routeLine(line, context.memory)
  switch (route.to) {
    case 'ignore':
      ignoreLine(line, route.reason, context)
      return DONE
    case 'buffer':
      bufferLine(line, route.group, context)
      return DONE
    case 'translate':
      translateLine(line, context)
      rememberLine(line, context)
      return releaseAfter(line, context)
    default:
      return assertNever(route)
  }
}

function ignoreLine(line: Line, reason: IgnoreReason, context: ClaudeContext): void {
  switch (reason) {
    case 'program-agent':
      return
    case 'repeated':
      return updateTokens(line, context)
    case 'no-agent':
      return context.reportUnknown('unplaced-message', typeName(line.raw.type))
    case 'not-conversation':
      return reportUnknownType(line, context)
    default:
      return assertNever(reason)
  }
}

/** Releases the lines of an agent that this line places. They come first, because the line may end the agent. */
function releaseBefore(line: Line, context: ClaudeContext): WorkQueue {
  if (context.memory.buffered.isEmpty || line.isRepeated || isInlineAgentLine(line)) return DONE
  if (isProgramAgentLine(line)) return DONE
  if (isConversationLine(line)) translateReleased(releaseInlineLines(line, context), context)
  return tasksOf(releaseByResult(line, context), context)
}

/** Releases the lines of an agent whose meta file or task this line holds. The line's facts come first. */
function releaseAfter({ raw }: Line, context: ClaudeContext): WorkQueue {
  return raw.type === 'agent_meta' || raw.task_id !== undefined
    ? tasksOf(releaseLinked(raw, context), context)
    : DONE
}

function tasksOf(released: readonly JsonObject[], context: ClaudeContext): WorkQueue {
  return released.map((raw) => () => processLine(readLine(context.memory, raw), context))
}
