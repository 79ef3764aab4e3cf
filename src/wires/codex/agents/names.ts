interface AgentNames {
  readonly subagentType: string | undefined
  readonly agentType?: string
  readonly description: string | undefined
}

/** The program shows an agent by its nickname. Its role is then its type, and says what it does. */
export function namesOf({
  nickname,
  role,
  task,
}: Readonly<Record<'nickname' | 'role' | 'task', string | undefined>>): AgentNames {
  if (nickname === undefined) return { subagentType: role, description: task }
  return { subagentType: nickname, agentType: role ?? '', description: task ?? role }
}
