/** Tells the time: the system's clock, or a test's. */
export type Clock = () => Date;

/** The system's clock. */
export const systemClock: Clock = () => new Date();
