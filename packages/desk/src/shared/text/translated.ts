/** A text in another language for each in English; counts have a single form there. */
export type Translated<English> = {
  [Key in keyof English as Key extends `${string}_one` ? never : Key]: string;
};
