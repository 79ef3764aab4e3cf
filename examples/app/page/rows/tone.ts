const TONES = 6

/** Returns the colour of an agent, from 0 to 5. It is the same in the conversation, the list and the timeline. */
export function toneOf(agentId: string): number {
  let sum = 0
  for (let at = 0; at < agentId.length; at += 1) sum = (sum * 31 + agentId.charCodeAt(at)) % 65_537
  return sum % TONES
}
