/** The message of a failed agent that has no output. */
export const FAILED_AGENT = 'The agent failed.'

/** The name of the thread of a session whose id is not known. */
export const NO_SESSION = 'session'

/** The id of the only message that the client has after it forgets the others. */
export const PLACEHOLDER = 'agentfold:placeholder'
