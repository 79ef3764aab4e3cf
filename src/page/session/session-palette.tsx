import type { SessionConversationState } from 'agentfold'
import { useSessionStore } from 'agentfold/react'
import type { ReactNode } from 'react'
import { resumeText } from '../../programs/all.ts'
import { changedFiles } from '../changes/changed-files.ts'
import { addressOfFile, CHANGES } from '../changes/use-view.ts'
import { Palette } from '../palette/palette.tsx'
import type { PaletteItem } from '../palette/palette-item.ts'
import { type Navigator, useNavigator } from '../rows/navigator.tsx'
import { type OpenState, useOpenState } from '../rows/open-state.tsx'
import { linesText } from '../tools/changes.tsx'
import { agentTitle } from './agent-title.ts'
import { failureName, failuresIn } from './failures.ts'
import { KINDS } from './filters.tsx'
import { promptsIn } from './prompts.tsx'

interface SessionPaletteProps {
  readonly isListed: boolean
  readonly goToNextFailure: () => void
}

/** The palette of a session: its commands, failures, agents, changed files and prompts. */
export function SessionPalette({ isListed, goToNextFailure }: SessionPaletteProps): ReactNode {
  const store = useSessionStore()
  const navigator = useNavigator()
  const open = useOpenState()
  const itemsOf = (): readonly PaletteItem[] => {
    const state = store.getState()
    const failures = failuresIn(state)
    return [
      ...(failures.length > 0 ? [command('Next failure', goToNextFailure, 'x')] : []),
      ...commandsOf(state, { navigator, open }),
      ...(isListed ? [command('All sessions', () => location.assign('./'))] : []),
      ...failures.map((block) => ({
        ...{ kind: 'Failure', text: failureName(block) },
        run: () => navigator.goToBlock(block.conversationId, block.id),
      })),
      ...placesIn(state, navigator),
    ]
  }
  return <Palette itemsOf={itemsOf} label="Agents, files, prompts and commands" />
}

function command(text: string, run: () => void, hint?: string): PaletteItem {
  return { kind: 'Command', text, hint, run }
}

interface Reached {
  readonly navigator: Navigator
  readonly open: OpenState
}

function commandsOf(
  state: SessionConversationState,
  { navigator: { filter }, open }: Reached,
): readonly PaletteItem[] {
  const resume = resumeText(state.session.program, state.session.id)
  const copy = (text: string) => () => void navigator.clipboard.writeText(text).catch(() => {})
  return [
    command('Copy the link to this place', () => copy(location.href)()),
    ...(resume === undefined
      ? []
      : [command('Copy the command that resumes the session', copy(resume), resume)]),
    command('Open all details', () => open.setAll(true), 'e'),
    command('Close all details', () => open.setAll(false), 'c'),
    ...(changedFiles(state).length > 0 ? [command('Changes', () => goTo(CHANGES))] : []),
    ...KINDS.map(([kind, name]) =>
      command(`${filter.isHidden(kind) ? 'Show' : 'Hide'} ${name.toLowerCase()}`, () => filter.toggle(kind)),
    ),
  ]
}

function goTo(address: string): void {
  location.hash = address
}

function placesIn(state: SessionConversationState, navigator: Navigator): readonly PaletteItem[] {
  const agents = state.subagents.map((agent) => ({
    ...{ kind: 'Agent', text: agentTitle(agent), hint: agent.name },
    run: () => navigator.goToAgent(agent.toolUseId),
  }))
  const files = changedFiles(state).map((file) => ({
    ...{ kind: 'File', text: file.path, hint: linesText([file]) },
    run: () => goTo(addressOfFile(file.path)),
  }))
  const prompts = promptsIn(state).map(({ id, text }) => ({
    ...{ kind: 'Prompt', text },
    run: () => navigator.goToBlock('main', id, false),
  }))
  return [...agents, ...files, ...prompts]
}
