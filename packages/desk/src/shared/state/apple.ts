/** On Apple's systems Cmd stands for Ctrl, and Option moves the caret by words. */
export const isApple = /Mac|iP/.test(navigator.platform);
