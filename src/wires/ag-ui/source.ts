import { AG_UI } from '../../programs/generic/program.ts'
import { agentIssue } from '../../session/context.ts'
import { defineSource } from '../../session/define-source.ts'
import type { Source, SourceEnd } from '../../session/source.ts'
import { agentsThatRun } from './agents/run.ts'
import { AgUiContext } from './context.ts'
import { type AgUiSourceMemory, initialMemory } from './memory.ts'
import { MEMORY_VERSION, memoryFields } from './memory-shape.ts'
import { resume } from './resume.ts'
import { translateEvent } from './translate.ts'

// An event takes one of these ways:
// - `reading/messages/` translates texts, calls, activities and snapshots
// - `reading/runs/` translates runs, their requests and tokens
// - `reading/agents/` translates subagents
// - `reading/shared/` reads the shared state
// - `reading/memory.ts` holds the facts from earlier events

/** Reads the events of AG-UI 1.0 and of the versions before, from any server. */
export const agUiSource: Source<AgUiSourceMemory> = /* @__PURE__ */ defineSource({
  name: 'ag-ui',
  ownMap: 'lanes',
  version: MEMORY_VERSION,
  fields: memoryFields,
  initial: initialMemory,
  begin: (memory) => new AgUiContext(memory),
  translate,
  end,
  resume,
})

function translate(message: unknown, context: AgUiContext): void {
  translateEvent(context.read(message), context)
  context.nameSession({ protocol: AG_UI })
}

function end(memory: AgUiSourceMemory): SourceEnd {
  const context = new AgUiContext(memory)
  const running = agentsThatRun(context)
  // A suspended agent waits for a later run.
  const ending = context.endInput(running.some(({ status }) => status === 'running'))
  const { events, issues } = context.finish()
  return {
    events,
    issues: [...issues, ...running.map(({ id }) => agentIssue('unfinished-subagent', id))],
    ending,
  }
}
