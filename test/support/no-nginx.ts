/** Note of a test left out that needs nginx: the reason, and the remedy. */
export const NO_NGINX = 'needs nginx, and there is none on the PATH: apt-get install nginx-light';
