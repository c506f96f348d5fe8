/** Says what time it is: the system's clock, or a test's. */
export type Clock = () => Date;

/** The clock of the machine. */
export const systemClock: Clock = () => new Date();
