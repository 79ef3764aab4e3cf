import { AG_UI } from '../../programs/generic/program.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { AgUiContext } from './context.ts'
import { NOTES } from './notes.ts'
import { open } from './open.ts'
import { translateEvent } from './translate.ts'

// An event takes one of these ways:
// - `messages/` translates texts, calls, activities and snapshots
// - `runs/` translates runs, their requests and tokens
// - `agents/` translates subagents
// - `shared/` reads the shared state

/** Reads the events of AG-UI 1.0 and of the versions before, from any server. */
export const agUiSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new AgUiContext(session),
  translate,
  end: (context) => context.endInput(),
  open,
})

function translate(message: unknown, context: AgUiContext): void {
  translateEvent(context.read(message), context)
  context.nameSession({ protocol: AG_UI })
}
