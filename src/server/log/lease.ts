/** The right of one owner to write a session. */
export interface Lease {
  /** The number of leases that the session has had. */
  readonly generation: number
  /** Absent after a release. */
  readonly owner?: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** The time that the owner asked for, in milliseconds. */
  readonly leaseMs: number
}

/** The lease of a session that never had one. */
export const NO_LEASE: Lease = { generation: 0, expiresAt: 0, leaseMs: 0 }

/** The claim of somebody who wants a lease. */
interface LeaseRequest {
  readonly owner: string
  readonly leaseMs: number
  readonly now: number
}

/** Returns the lease after somebody asked for it. Another owner keeps it. */
export function requestLease(lease: Lease, { owner, leaseMs, now }: LeaseRequest): Lease {
  const isHeld = lease.owner !== undefined && lease.expiresAt > now
  if (isHeld && lease.owner !== owner) return endInTime(lease, now)
  return {
    generation: isHeld ? lease.generation : lease.generation + 1,
    owner,
    expiresAt: now + leaseMs,
    leaseMs,
  }
}

/** A clock that went back must not keep the lease of a dead owner for longer than its time. */
function endInTime(lease: Lease, now: number): Lease {
  const latest = now + lease.leaseMs
  return lease.expiresAt > latest ? { ...lease, expiresAt: latest } : lease
}

/** Returns the lease after a release of that generation. */
export function releaseLease(lease: Lease, generation: number): Lease {
  return lease.generation === generation ? { ...NO_LEASE, generation } : lease
}
