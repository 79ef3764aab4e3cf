import type { Program, ProgramStorage } from '../program.ts'
import { COMMAND, FILE_CHANGE, IMAGE_VIEW, SPAWN_AGENT, WEB_SEARCH } from './tool-names.ts'

/** Codex. */
export const codex: Program = {
  names: ['codex'],
  adapter: { name: '@agentclientprotocol/codex-acp', metaKeys: ['codex'] },
  wire: 'codex',
  tools: {
    command: [COMMAND, 'exec_command', 'shell', 'local_shell', 'write_stdin', 'exec'],
    read: [IMAGE_VIEW, 'view_image', 'read_file', 'list_dir'],
    edit: [FILE_CHANGE, 'apply_patch'],
    search: ['grep_files'],
    web: [WEB_SEARCH],
    todo: ['update_plan'],
    question: ['request_user_input'],
    agent: [SPAWN_AGENT],
    agentControl: [
      'send_input',
      'close_agent',
      'wait',
      'wait_agent',
      'resume_agent',
      'interrupt_agent',
      'followup_task',
      'send_message',
      'list_agents',
    ],
  },
  fields: {
    command: ['command', 'cmd'],
    path: ['path'],
    prompt: 'message',
    agentType: 'agent_type',
    description: 'task_name',
    resumes: 'target',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  // A rollout per thread in `sessions/<year>/<month>/<day>/`, and old ones in `archived_sessions/`.
  resumeCommand: ['codex', 'resume'],
}

export const codexStorage: ProgramStorage = {
  folders({ home, variables }) {
    const folder = variables.CODEX_HOME || `${home}/.codex`
    return [
      { path: `${folder}/sessions`, depth: 3 },
      { path: `${folder}/archived_sessions`, depth: 0 },
    ]
  },
}
