import { AG_UI } from '../../programs/generic/program.ts'
import { defineSource } from '../../session/define-source.ts'
import type { Source } from '../../session/source.ts'
import { AgUiContext } from './context.ts'
import { NOTES } from './memory-shape.ts'
import { resume } from './resume.ts'
import { translateEvent } from './translate.ts'

// An event takes one of these ways:
// - `reading/messages/` translates texts, calls, activities and snapshots
// - `reading/runs/` translates runs, their requests and tokens
// - `reading/agents/` translates subagents
// - `reading/shared/` reads the shared state
// - `reading/memory.ts` holds the facts from earlier events

/** Reads the events of AG-UI 1.0 and of the versions before, from any server. */
export const agUiSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new AgUiContext(session),
  translate,
  end: (context) => context.endInput(),
  open: resume,
})

function translate(message: unknown, context: AgUiContext): void {
  translateEvent(context.read(message), context)
  context.nameSession({ protocol: AG_UI })
}
