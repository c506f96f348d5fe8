/** What sections say where a picture is chosen. */
export const picturesEn = {
  dropPicture: 'Drop a picture here, or',
  choosePicture: 'Choose from the gallery',
  uploadPicture: 'Upload a picture',
  removePicture: 'Remove the picture',
  fromGallery: 'From the gallery',
  pictures: 'Pictures',
  upTo: 'Up to {{folder}}',
  rootFolder: 'All files',
  notPublic: 'Readers cannot see files of this folder. Public folders: {{folders}}.',
  othersCopy: 'Ask an editor to copy one into {{folder}}, or upload one.',
  copyAndUse: 'Copy into {{folder}} and use it',
  noPublicFolder: 'No folder of the gallery is public (MEDIA_PUBLIC), so readers would not see the picture.',
  placeKnown:
    'The picture may say where it was made, and that cannot be taken out. Upload it in Media to decide.',
  cutOff:
    'The picture was uploaded, but it is cut off: its file ends before its end. Upload it again from the camera or the original.',
  notUploaded: 'The picture was not uploaded.',
  noPictures: 'No pictures in this folder',
  morePictures: 'More pictures',
  searchPictures: 'Search all public pictures',
  recentPictures: 'Latest',
  uploadHere: 'Upload here',
  uploadingPicture: 'Uploading…',
  noPictureFound: 'No picture found',
  searchedSome:
    'The gallery has more files than the {{count}} that were searched. Open a folder for the others.',
};
